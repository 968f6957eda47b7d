// Who is sent what, over a real output log and a host that stands in for the session.
#include "gateway/sessions/client_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <future>
#include <set>
#include <string>
#include <vector>

#include "gateway/base/async.hpp"

namespace gateway::sessions {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

messaging::shared_message text_message(const std::string& text, std::string type = "display_data") {
    auto made =
        messaging::make_message(messaging::channel::iopub, type, "kernel", "\"" + text + "\"", "{\"msg_id\":\"p\"}");
    return std::make_shared<const messaging::message>(std::move(made));
}

class ClientTable : public ::testing::Test, public client_host {
  protected:
    void SetUp() override { table = std::make_unique<client_table>(*this); }
    void TearDown() override {
        table.reset();
        output.close();
        io.restart();
        io.poll();
        pool.join();
        std::filesystem::remove_all(directory);
    }

    result<void> forward(const std::string& client, messaging::message) override {
        sent_by.push_back(client);
        return {};
    }
    bool has_requests(const std::string& client) const override { return busy_clients.contains(client); }
    messaging::shared_message status_message() const override { return text_message("status now", "status"); }
    std::optional<open_question> pending_question() const override { return pending; }
    messaging::shared_message note(const std::string& text, const std::string&) const override {
        return text_message("note: " + text.substr(0, 10), "stream");
    }
    output_log& log() override { return output; }

    // An input() of that client waits.
    void ask(const std::string& text, const std::string& client) {
        const auto seq = publish(text, client, "input_request");
        pending = open_question{text_message(text, "input_request"), seq, client};
    }

    // A client that has said something, and has read what it was greeted with.
    std::shared_ptr<jupyter_client> connect_and_speak(const std::string& session_id) {
        auto made = table->connect(session_id, "k");
        (void)made->send({});
        read(*made);
        return made;
    }

    std::uint64_t publish(const std::string& text, const std::string& client = "",
                          const std::string& type = "display_data") {
        entry made;
        made.type = type;
        made.client = client;
        made.parent = "p";
        made.message = text_message(text, type);
        return output.append(std::move(made));
    }

    // What the client gets now, without waiting for more; the last seq goes to `last_seq`.
    std::vector<std::string> read(jupyter_client& from) {
        std::vector<std::string> got;
        for (;;) {
            std::vector<delivery> batch;
            bool done = false;
            auto take = [](jupyter_client& client, std::vector<delivery>& out, bool& ended) -> awaitable<void> {
                out = co_await client.next(1 << 20);
                ended = true;
            };
            asio::cancellation_signal stop;
            asio::co_spawn(io, take(from, batch, done), asio::bind_cancellation_slot(stop.slot(), asio::detached));
            io.restart();
            for (int turns = 0; turns < 20 && !done; ++turns) {
                io.poll();
                wait_for_pool();
            }
            if (!done) stop.emit(asio::cancellation_type::all);
            io.restart();
            while (!done && io.run_one()) continue;
            if (batch.empty()) return got;
            for (const auto& each : batch) {
                last_seq = std::max(last_seq, each.seq);
                got.push_back(each.message->content.substr(1, each.message->content.size() - 2));
            }
        }
    }

    // What was on its way to the disk or from there is done.
    void wait_for_pool() {
        std::promise<void> reached;
        asio::post(pool, [&] { reached.set_value(); });
        reached.get_future().wait();
    }

    static std::string make_directory() {
        char path[] = "/tmp/cellgate-clients-XXXXXX";
        return ::mkdtemp(path);
    }

    asio::io_context io;
    asio::thread_pool pool{1};
    log_budget budget{512u << 20, 1ull << 30};
    std::string directory = make_directory();
    output_log output{io.get_executor(), pool, budget, log_limits{}, directory};
    std::set<std::string> busy_clients;
    std::vector<std::string> sent_by;
    std::optional<open_question> pending;
    std::unique_ptr<client_table> table;
    std::uint64_t last_seq = 0;
};

TEST_F(ClientTable, a_newcomer_starts_at_now_with_the_true_status_and_the_pending_input) {
    publish("old");
    ask("name?", "another");
    auto lab = table->connect("lab", "k");
    publish("new");
    EXPECT_THAT(read(*lab), ElementsAre("status now", "name?", "new"));
}

TEST_F(ClientTable, two_clients_never_take_from_each_other) {
    auto one = table->connect("one", "k");
    auto two = table->connect("two", "k");
    publish("a");
    EXPECT_THAT(read(*one), ElementsAre("status now", "a"));
    EXPECT_THAT(read(*two), ElementsAre("status now", "a"));
}

TEST_F(ClientTable, a_reply_reaches_only_its_client) {
    auto one = table->connect("one", "k");
    auto two = table->connect("two", "k");
    publish("reply", "two", "execute_reply");
    EXPECT_THAT(read(*one), ElementsAre("status now"));
    EXPECT_THAT(read(*two), ElementsAre("status now", "reply"));
}

TEST_F(ClientTable, after_a_cut_the_same_session_id_gets_what_it_did_not_acknowledge) {
    auto before = connect_and_speak("lab");
    publish("a");
    read(*before);
    before->acknowledge(last_seq);
    publish("b");
    read(*before);
    before->disconnected(0);
    publish("c");
    publish("reply", "lab", "execute_reply");
    auto after = table->connect("lab", "k");
    EXPECT_THAT(read(*after), ElementsAre("b", "c", "reply"));
}

TEST_F(ClientTable, a_restart_is_told_once_to_a_client_and_its_heir) {
    const std::string restarting = "{\"execution_state\":\"restarting\"}";
    auto first = connect_and_speak("lab");
    busy_clients.insert("lab");
    publish(restarting, "", "status");
    EXPECT_THAT(read(*first).size(), 1u);
    first->disconnected(0);
    publish("a");
    auto second = table->connect("lab", "k");
    EXPECT_THAT(read(*second), ElementsAre("a"));
    second->disconnected(0);
    auto heir = table->connect("other", "k");
    EXPECT_THAT(read(*heir), ElementsAre("status now", "a"));
}

TEST_F(ClientTable, a_restart_while_a_client_was_away_is_told_when_it_is_back) {
    auto before = connect_and_speak("lab");
    before->disconnected(0);
    publish("{\"execution_state\":\"restarting\"}", "", "status");
    publish("{\"execution_state\":\"idle\"}", "", "status");
    auto after = table->connect("lab", "k");
    EXPECT_THAT(read(*after).size(), 2u);
}

TEST_F(ClientTable, the_same_session_id_replaces_its_older_connection) {
    auto older = connect_and_speak("lab");
    auto newer = table->connect("lab", "k");
    EXPECT_THAT(read(*older), IsEmpty());
    EXPECT_EQ(older->end(), client_end::replaced);
    publish("a");
    EXPECT_THAT(read(*newer), ElementsAre("a"));
    EXPECT_EQ(table->connections(), 1u);
}

TEST_F(ClientTable, a_client_is_greeted_again_until_it_has_spoken) {
    ask("name?", "another");
    auto first = table->connect("lab", "k");
    EXPECT_THAT(read(*first), ElementsAre("status now", "name?"));
    auto second = table->connect("lab", "k");
    EXPECT_THAT(read(*second), ElementsAre("status now", "name?"));
    (void)second->send({});
    auto third = table->connect("lab", "k");
    EXPECT_THAT(read(*third), IsEmpty());
}

TEST_F(ClientTable, connections_without_a_session_id_replace_nobody) {
    auto one = table->connect("", "k");
    auto two = table->connect("", "k");
    EXPECT_EQ(one->end(), client_end::none);
    EXPECT_EQ(table->connections(), 2u);
}

TEST_F(ClientTable, a_sole_newcomer_takes_the_place_of_a_connection_cut_with_requests_in_flight) {
    auto gone = table->connect("", "k");
    read(*gone);
    (void)gone->send({});
    busy_clients.insert(sent_by.back());
    gone->disconnected(0);
    publish("missed");
    publish("reply", sent_by.back(), "execute_reply");
    auto heir = table->connect("", "k");
    EXPECT_THAT(read(*heir), ElementsAre("status now", "missed", "reply"));
}

TEST_F(ClientTable, an_heir_is_asked_what_its_predecessor_was_asked) {
    auto gone = connect_and_speak("gone");
    busy_clients.insert("gone");
    ask("name?", "gone");
    read(*gone);
    gone->acknowledge(last_seq);
    gone->disconnected(0);
    auto heir = table->connect("heir", "k");
    EXPECT_THAT(read(*heir), ElementsAre("status now", "name?"));
}

TEST_F(ClientTable, an_heir_is_not_asked_twice) {
    auto gone = connect_and_speak("gone");
    busy_clients.insert("gone");
    gone->disconnected(0);
    ask("name?", "gone");
    auto heir = table->connect("heir", "k");
    EXPECT_THAT(read(*heir), ElementsAre("status now", "name?"));
}

TEST_F(ClientTable, a_newcomer_beside_another_client_takes_no_place) {
    auto stays = table->connect("stays", "k");
    auto gone = table->connect("gone", "k");
    busy_clients.insert("gone");
    gone->disconnected(0);
    publish("missed");
    auto newcomer = table->connect("new", "k");
    EXPECT_THAT(read(*newcomer), ElementsAre("status now"));
}

TEST_F(ClientTable, an_idle_connection_that_left_leaves_no_place) {
    auto gone = table->connect("gone", "k");
    gone->disconnected(0);
    publish("later");
    auto newcomer = table->connect("new", "k");
    EXPECT_THAT(read(*newcomer), ElementsAre("status now"));
}

TEST_F(ClientTable, old_comm_messages_are_not_replayed_to_an_heir) {
    auto gone = table->connect("gone", "k");
    busy_clients.insert("gone");
    gone->disconnected(0);
    publish("widget", "", "comm_msg");
    publish("text");
    auto heir = table->connect("heir", "k");
    publish("new widget", "", "comm_msg");
    EXPECT_THAT(read(*heir), ElementsAre("status now", "text", "new widget"));
}

TEST_F(ClientTable, a_message_that_broke_the_connection_is_told_not_sent_again) {
    auto before = connect_and_speak("lab");
    publish(std::string(9u << 20, 'x'));
    read(*before);
    before->disconnected(last_seq);
    auto after = table->connect("lab", "k");
    EXPECT_THAT(read(*after), ElementsAre("note: [cellgate:"));
}

TEST_F(ClientTable, a_large_message_that_was_not_being_sent_is_sent) {
    auto before = connect_and_speak("lab");
    before->disconnected(0);
    publish(std::string(9u << 20, 'x'));
    auto after = table->connect("lab", "k");
    EXPECT_EQ(read(*after).at(0).size(), 9u << 20);
}

TEST_F(ClientTable, ending_wakes_a_reader_and_says_why) {
    auto lab = table->connect("lab", "k");
    read(*lab);
    table->end_all(client_end::kernel_deleted);
    EXPECT_THAT(read(*lab), IsEmpty());
    EXPECT_EQ(lab->end(), client_end::kernel_deleted);
}

TEST_F(ClientTable, at_the_gateways_end_the_log_is_told_to_its_end) {
    auto lab = connect_and_speak("lab");
    publish("last words");
    output.end();
    table->end_all(client_end::gateway_ended);
    EXPECT_THAT(read(*lab), ElementsAre("last words"));
    EXPECT_EQ(lab->end(), client_end::gateway_ended);
}

TEST_F(ClientTable, connections_are_counted_by_the_kernel_id_they_came_through) {
    auto one = table->connect("one", "alias");
    auto two = table->connect("two", "own");
    EXPECT_EQ(table->connections_via("alias"), 1u);
    table->end_via("alias", client_end::kernel_deleted);
    EXPECT_EQ(one->end(), client_end::kernel_deleted);
    EXPECT_EQ(two->end(), client_end::none);
}

}  // namespace
}  // namespace gateway::sessions
