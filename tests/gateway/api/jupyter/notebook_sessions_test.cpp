#include <gmock/gmock.h>

#include "gateway/api/jupyter/kernel_request.hpp"
#include "tests/gateway/api/jupyter/fixture.hpp"

namespace gateway::api::jupyter {
namespace {

using sessions::origin;

class notebook_session_routes : public jupyter_routes {
  protected:
    json open(const std::string& path, const std::string& kernel = R"({"name":"python3"})") {
        auto got = call("POST", "/api/sessions",
                        R"({"path":")" + path + R"(","type":"notebook","name":"n","kernel":)" + kernel + "}");
        EXPECT_EQ(got.status, 201) << got.text;
        return got.body();
    }
    // Of the attach kernelspec of the kernel that was started last.
    std::string shown_name() {
        auto specs = call("GET", "/api/kernelspecs").body()["kernelspecs"];
        return specs["attach-" + registry.list().back()->id()]["spec"]["display_name"];
    }
    std::string path_of(const json& row) { return "/api/sessions/" + row["id"].get<std::string>(); }
};

TEST_F(notebook_session_routes, start_a_kernel_where_the_notebook_is) {
    serve();
    auto row = open("work/a.ipynb");
    EXPECT_EQ(row["path"], "work/a.ipynb");
    EXPECT_EQ(row["type"], "notebook");
    EXPECT_EQ(row["notebook"]["path"], "work/a.ipynb");
    EXPECT_EQ(row["kernel"]["name"], "python3");
    const auto& options = registry.list().at(0)->options();
    EXPECT_EQ(options.working_dir, "work");
    EXPECT_EQ(options.env.at("JPY_SESSION_NAME"), "work/a.ipynb");
    EXPECT_EQ(call("GET", path_of(row)).body(), row);
}

TEST_F(notebook_session_routes, answer_201_with_the_one_that_exists) {
    serve();
    EXPECT_EQ(open("a.ipynb")["id"], open("a.ipynb")["id"]);
    EXPECT_EQ(registry.list().size(), 1u);
    EXPECT_EQ(call("GET", "/api/sessions").body().size(), 1u);
}

TEST_F(notebook_session_routes, use_a_kernel_that_runs_by_its_id) {
    serve();
    auto running = add_session("ana", origin::agent);
    auto row = open("a.ipynb", R"({"id":")" + running->kernel_id() + "\"}");
    EXPECT_EQ(row["kernel"]["id"], running->kernel_id());
    EXPECT_EQ(registry.list().size(), 1u);
    auto missing = call("POST", "/api/sessions", R"({"path":"b","type":"file","kernel":{"id":"none"}})");
    EXPECT_EQ(missing.status, 404);
}

TEST_F(notebook_session_routes, belong_to_their_user) {
    serve();
    auto row = open("a.ipynb");
    as("bob");
    EXPECT_EQ(call("GET", "/api/sessions").body().size(), 0u);
    for (const char* method : {"GET", "DELETE"}) EXPECT_EQ(call(method, path_of(row)).status, 404);
    EXPECT_EQ(call("PATCH", path_of(row), "{}").status, 404);
    EXPECT_NE(open("a.ipynb")["id"], row["id"]);
}

TEST_F(notebook_session_routes, follow_a_rename) {
    serve();
    auto row = open("a.ipynb");
    auto got = call("PATCH", path_of(row),
                    R"({"path":"b.ipynb","name":"b","kernel":{"id":)" + row["kernel"]["id"].dump() + "}}");
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body()["path"], "b.ipynb");
    EXPECT_EQ(got.body()["kernel"]["id"], row["kernel"]["id"]);
    EXPECT_TRUE(registry.removed.empty());
}

TEST_F(notebook_session_routes, give_their_kernel_the_name_that_it_is_attached_to_by) {
    serve();
    auto row = open("work/rides.ipynb");
    EXPECT_EQ(shown_name(), "Attach: rides.ipynb in work");
    call("PATCH", path_of(row), R"({"path":"trips.ipynb"})");
    EXPECT_EQ(shown_name(), "Attach: trips.ipynb");
    const std::string kernel = R"({"path":"console-1-7f","type":"console","name":"Console 1","kernel":{"id":)" +
                               row["kernel"]["id"].dump() + "}}";
    call("POST", "/api/sessions", kernel);
    EXPECT_EQ(shown_name(), "Attach: trips.ipynb");
    open("elsewhere.ipynb");
    call("POST", "/api/sessions", R"({"path":"work/console-2-7f","type":"console","name":"Console 2"})");
    EXPECT_EQ(shown_name(), "Attach: Console 2");
}

TEST_F(notebook_session_routes, do_not_rename_a_session_that_has_a_name) {
    serve();
    auto named = add_session("ana", origin::agent, "research");
    open("a.ipynb", R"({"id":")" + named->kernel_id() + "\"}");
    EXPECT_EQ(shown_name(), "Attach: research");
}

TEST_F(notebook_session_routes, are_not_needed_when_the_kernel_was_told_its_notebook) {
    serve();
    call("POST", "/api/kernels", R"({"env":{"JPY_SESSION_NAME":"/home/ana/rides.ipynb"}})");
    EXPECT_EQ(shown_name(), "Attach: rides.ipynb in /home/ana");
    call("POST", "/api/kernels", "{}");
    EXPECT_EQ(shown_name(), "Attach: " + registry.list().back()->id());
}

TEST_F(notebook_session_routes, end_the_kernel_that_a_notebook_changed_away_from) {
    serve();
    auto row = open("a.ipynb");
    auto got = call("PATCH", path_of(row), R"({"kernel":{"name":"ir"}})");
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body()["kernel"]["name"], "ir");
    EXPECT_EQ(registry.removed.size(), 1u);
}

TEST_F(notebook_session_routes, leave_an_agents_session_alive_when_they_go) {
    serve();
    auto agents = add_session("ana", origin::agent);
    auto row = open("a.ipynb", R"({"id":")" + agents->kernel_id() + "\"}");
    EXPECT_EQ(call("DELETE", path_of(row)).status, 204);
    EXPECT_TRUE(registry.removed.empty());
    auto own = open("b.ipynb");
    EXPECT_EQ(call("DELETE", path_of(own)).status, 204);
    EXPECT_EQ(registry.removed.size(), 1u);
    EXPECT_EQ(call("DELETE", path_of(own)).status, 404);
}

TEST_F(notebook_session_routes, go_with_their_kernel) {
    serve();
    auto listed = open("a.ipynb"), deleted = open("b.ipynb");
    for (const auto& row : {listed, deleted}) call("DELETE", "/api/kernels/" + row["kernel"]["id"].get<std::string>());
    EXPECT_EQ(call("DELETE", path_of(deleted)).status, 410);
    EXPECT_EQ(call("GET", "/api/sessions").body().size(), 0u);
    EXPECT_EQ(call("GET", path_of(listed)).status, 404);
}

TEST_F(notebook_session_routes, say_what_a_body_lacks) {
    serve();
    auto message = [&](const char* body) {
        return call("POST", "/api/sessions", body).body()["message"].get<std::string>();
    };
    EXPECT_THAT(message("[]"), testing::HasSubstr("JSON object"));
    EXPECT_THAT(message(R"({"type":"notebook"})"), testing::HasSubstr("path is missing"));
    EXPECT_THAT(message(R"({"path":"a"})"), testing::HasSubstr("type is missing"));
    EXPECT_THAT(message(R"({"path":1,"type":"notebook"})"), testing::HasSubstr("path must be a string"));
    EXPECT_THAT(message(R"({"path":"a","type":"notebook","kernel":[]})"), testing::HasSubstr("kernel must be"));
}

TEST_F(notebook_session_routes, say_what_is_too_large) {
    serve();
    std::string large(most_body_bytes + 1, ' '), path(5000, 'x');
    EXPECT_EQ(call("POST", "/api/sessions", large).status, 413);
    EXPECT_EQ(call("PATCH", path_of(open("a.ipynb")), large).status, 413);
    EXPECT_EQ(call("POST", "/api/sessions", R"({"path":")" + path + R"(","type":"notebook"})").status, 400);
    auto deep =
        R"({"path":"a","type":"notebook","kernel":{"a":)" + std::string(400'000, '[') + std::string(400'000, ']');
    EXPECT_EQ(call("POST", "/api/sessions", deep + "}}").status, 400);
}

TEST_F(notebook_session_routes, understand_the_form_before_notebook_5) {
    serve();
    auto got = call("POST", "/api/sessions", R"({"notebook":{"path":"old.ipynb"},"kernel":{"name":"python3"}})");
    EXPECT_EQ(got.status, 201);
    EXPECT_EQ(got.body()["path"], "old.ipynb");
}

}  // namespace
}  // namespace gateway::api::jupyter
