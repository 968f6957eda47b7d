// Real kernels in real boxes: ipykernel and whatever else is installed in the kernels' environment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "gateway/base/ids.hpp"
#include "gateway/kernels/kernel.hpp"
#include "messaging/json_string.hpp"
#include "tests/support/run_until.hpp"
#include "tests/support/temporary_directory.hpp"

namespace gateway::kernels {
namespace {

using testing::HasSubstr;
using json = nlohmann::json;
namespace fs = std::filesystem;

// Where `./dev setup` puts the kernels.
std::string prefix() {
    const char* given = std::getenv("CELLGATE_TEST_PREFIX");
    return given ? given : CELLGATE_KERNELS_PREFIX;
}

class live_listener final : public kernel_listener {
  public:
    void on_message(messaging::shared_message what) override {
        auto header = messaging::parse_header(what->header).value();
        auto parent = messaging::parse_header(what->parent_header).value();
        auto content = json::parse(what->content);
        if (header.msg_type == "stream") text += content["text"].get<std::string>();
        if (header.msg_type == "execute_result") text += content["data"]["text/plain"].get<std::string>();
        if (header.msg_type == "error") text += content["ename"].get<std::string>();
        if (header.msg_type == "execute_reply") reply = content;
        if (header.msg_type == "status") busy = content["execution_state"] == "busy";
        if (!parent.session.empty()) sessions.insert(parent.session);
    }
    void on_state(kernel_state state, end_reason reason) override {
        states += std::string(to_string(state)) +
                  (reason == end_reason::none ? "; " : std::string(" ") + to_string(reason) + "; ");
    }

    std::string text;
    std::string states;
    std::optional<json> reply;
    std::set<std::string> sessions;  // of parents
    bool busy = false;
};

class live_kernel : public testing::Test {
  protected:
    live_kernel() {
        for (const char* each : {"run", "home", "files"}) fs::create_directory(root.path() + "/" + each);
        shared.inherited_env = {{"PATH", "/usr/bin:/bin"}};
        shared.package_dir = CELLGATE_PACKAGE_DIR;
    }

    // python3 is our own kernel, where it is installed.
    kernel_options options(const std::string& name = "python3", python3_kernel python3 = python3_kernel::own) {
        kernelspec_store specs({prefix() + "/share/jupyter/kernels"}, python3);
        auto found = specs.find(name);
        kernel_options made;
        EXPECT_TRUE(found) << "run ./dev setup, or set CELLGATE_TEST_PREFIX to an environment with ipykernel";
        if (found) made.spec = *found;
        made.id = make_uuid();
        made.mounts = {{root.path() + "/home", "/home/user", true}, {root.path() + "/files", "/mnt/files", true}};
        made.helper_key = "the-helper-key";
        return made;
    }

    template <class T>
    T run(awaitable<T> what) {
        std::optional<T> outcome;
        asio::co_spawn(io, std::move(what), [&](std::exception_ptr, T value) { outcome.emplace(std::move(value)); });
        EXPECT_TRUE(until([&] { return outcome.has_value(); }));
        return outcome ? std::move(*outcome) : T(failure{errc::internal_error, "the test's time is over"});
    }
    void run(awaitable<void> what) {
        bool done = false;
        asio::co_spawn(io, std::move(what), [&](std::exception_ptr) { done = true; });
        EXPECT_TRUE(until([&] { return done; }));
    }
    template <class Condition>
    bool until(Condition condition) {
        return test_support::run_until(io, condition, std::chrono::seconds(40));
    }
    kernel& start(kernel_options what) {
        auto& made = *kernels.emplace_back(std::make_unique<kernel>(shared, std::move(what), listener));
        auto started = run(made.start());
        EXPECT_TRUE(started) << (started ? "" : started.error().message);
        return made;
    }
    void send(kernel& target, const std::string& code) {
        auto content = R"({"silent":false,"store_history":true,"user_expressions":{},"allow_stdin":false,"code":)" +
                       messaging::quote(code) + "}";
        auto message = messaging::make_message(messaging::channel::shell, "execute_request", "a-client", content);
        listener.text.clear();
        listener.reply.reset();
        listener.busy = true;
        EXPECT_TRUE(target.send(message));
    }
    // What the code printed or returned.
    std::string execute(kernel& target, const std::string& code) {
        send(target, code);
        EXPECT_TRUE(until([&] { return listener.reply && !listener.busy; })) << code;
        return listener.text;
    }

    launcher_process launching = launcher_process::start(CELLGATE_LAUNCHER).value();
    test_support::temporary_directory root;
    asio::io_context io;
    std::unique_ptr<launcher> processes = launching.connect(io.get_executor());
    kernel_environment shared{io.get_executor(), *processes, root.path() + "/run", {}, {}, {}, {}, {}, {}};
    live_listener listener;
    std::vector<std::unique_ptr<kernel>> kernels;
};

TEST_F(live_kernel, ipykernel_comes_up_and_executes) {
    auto& kernel = start(options("python3", python3_kernel::installed));
    EXPECT_EQ(execute(kernel, "1+1"), "2");
    EXPECT_EQ((*listener.reply)["execution_count"], 1);
    EXPECT_EQ(execute(kernel, "import os; print(os.getcwd(), os.environ['HOME'], os.environ['KERNEL_GATEWAY'])"),
              "/home/user /home/user 1\n");
}

TEST_F(live_kernel, the_injected_package_is_there_and_leaves_no_trace) {
    auto& kernel = start(options());
    EXPECT_EQ(execute(kernel, "print(sorted(name for name in globals() if not name.startswith('_')))"),
              "['In', 'Out', 'exit', 'get_ipython', 'open', 'quit']\n");
    EXPECT_EQ(execute(kernel, "import cellgate_kernel, composio_helper; print(In[1][:5], len(In), repr(_), Out)"),
              "print 3 '' {}\n");
    EXPECT_EQ(execute(kernel, "import sys; print(sys.path[-1], sys.path.count('/opt/cellgate/python'))"),
              "/opt/cellgate/python 1\n");
    EXPECT_EQ(execute(kernel, "print(cellgate_kernel.settings.current().helper_key)"), "the-helper-key\n");
    EXPECT_EQ(execute(kernel, "print('the-helper-key' in str(__import__('os').environ))"), "False\n");
    EXPECT_EQ(listener.sessions, std::set<std::string>{"a-client"});
}

TEST_F(live_kernel, a_file_of_the_user_with_the_packages_name_does_not_win) {
    std::ofstream(root.path() + "/home/cellgate_kernel.py") << "mine = True\n";
    auto& kernel = start(options());
    EXPECT_EQ(execute(kernel, "import cellgate_kernel; print(hasattr(cellgate_kernel, 'mine'))"), "False\n");
}

TEST_F(live_kernel, files_outlive_the_kernel) {
    auto& kernel = start(options());
    execute(kernel, "open('/mnt/files/kept', 'w').write('x')");
    run(kernel.shutdown(end_reason::session_ended));
    EXPECT_TRUE(fs::exists(root.path() + "/files/kept"));
    EXPECT_TRUE(fs::is_empty(root.path() + "/run"));
    EXPECT_EQ(kernel.state(), kernel_state::dead);
}

TEST_F(live_kernel, a_kernel_that_is_killed_is_restarted_and_works) {
    auto& kernel = start(options());
    send(kernel, "import os; os.kill(os.getpid(), 9)");
    ASSERT_TRUE(until([&] { return kernel.restarts() == 1 && kernel.state() == kernel_state::idle; }));
    EXPECT_EQ(listener.states, "idle; restarting killed; idle; ");
    EXPECT_EQ(execute(kernel, "1+1"), "2");
    EXPECT_EQ((*listener.reply)["execution_count"], 1);
}

TEST_F(live_kernel, what_was_flushed_before_a_crash_arrives_before_the_restart) {
    auto& kernel = start(options());
    // As many as the kernel's sender brings into its socket before the end, however slowly they are read.
    send(kernel,
         "for i in range(200): print(i, flush=True)\n"
         "import time; time.sleep(1); import os; os._exit(1)");
    ASSERT_TRUE(until([&] { return listener.states.ends_with("crashed; "); }));
    EXPECT_THAT(listener.text, testing::EndsWith("198\n199\n"));
}

TEST_F(live_kernel, an_interrupt_ends_a_busy_cell) {
    auto& kernel = start(options());
    send(kernel, "print('on', flush=True)\nwhile True: pass");
    ASSERT_TRUE(until([&] { return listener.text == "on\n"; }));
    EXPECT_TRUE(run(kernel.interrupt()));
    ASSERT_TRUE(until([&] { return listener.reply && !listener.busy; }));
    EXPECT_EQ((*listener.reply)["ename"], "KeyboardInterrupt");
    EXPECT_EQ(execute(kernel, "1+1"), "2");
}

TEST_F(live_kernel, a_restart_of_a_busy_kernel_is_quick_and_single) {
    auto& kernel = start(options());
    send(kernel, "print('on', flush=True)\nwhile True: pass");
    ASSERT_TRUE(until([&] { return listener.text == "on\n"; }));
    EXPECT_TRUE(run(kernel.restart(end_reason::restarted, false)));
    EXPECT_EQ(listener.states, "idle; restarting restarted; idle; ");
    EXPECT_EQ(execute(kernel, "1+1"), "2");
}

TEST_F(live_kernel, a_configuration_changes_the_environment_of_a_running_kernel) {
    auto what = options();
    what.env = {{"GOES", "1"}};
    auto& kernel = start(what);
    auto configured = run(kernel.configure({{"COMES", "it's \"new\" \\ \xf0\x9f\x90\x8d"}}, "{}"));
    ASSERT_TRUE(configured) << configured.error().message;
    EXPECT_EQ(execute(kernel, "import os; print('GOES' in os.environ, os.environ['COMES'])"),
              "False it's \"new\" \\ \xf0\x9f\x90\x8d\n");
}

TEST_F(live_kernel, a_kernel_over_tcp_comes_up) {
    auto what = options();
    what.spec.hints.over = transport::tcp;
    EXPECT_EQ(execute(start(what), "1+1"), "2");
}

TEST_F(live_kernel, a_kernel_that_ends_at_import_is_dead_with_its_traceback) {
    auto what = options();
    what.spec.argv = {"/usr/bin/python3", "-c", "import no_such_module"};
    what.spec.hints = {};
    kernel mine(shared, what, listener);
    auto started = run(mine.start());
    ASSERT_FALSE(started);
    EXPECT_THAT(started.error().message, HasSubstr("no_such_module"));
    EXPECT_EQ(listener.states, "dead start_failed; ");
}

TEST_F(live_kernel, every_kernelspec_of_the_environment_comes_up) {
    kernelspec_store specs({prefix() + "/share/jupyter/kernels"});
    ASSERT_TRUE(specs.find("python3"));
    for (const auto& [name, spec] : specs.list()) {
        auto& kernel = start(options(name));
        EXPECT_EQ(execute(kernel, spec.is_python() ? "print(6 * 7)" : "echo 42"), "42\n") << name;
        EXPECT_EQ(kernel.restarts(), 0) << name;
        if (spec.is_python()) {
            EXPECT_EQ(execute(kernel, "import cellgate_kernel; print(cellgate_kernel.settings.current().helper_key)"),
                      "the-helper-key\n")
                << name;
        }
    }
}

TEST_F(live_kernel, kernels_that_start_at_once_all_come_up) {
    const char* given = std::getenv("CELLGATE_TEST_KERNELS");
    std::size_t wanted = given ? static_cast<std::size_t>(std::atoi(given)) : 10;
    std::size_t ready = 0;
    auto one = [&]() -> awaitable<void> {
        auto& mine = *kernels.emplace_back(std::make_unique<kernel>(shared, options(), listener));
        auto started = co_await mine.start();
        EXPECT_TRUE(started) << (started ? "" : started.error().message);
        ++ready;
    };
    for (std::size_t i = 0; i < wanted; ++i) asio::co_spawn(io, one(), asio::detached);
    EXPECT_TRUE(until([&] { return ready == wanted; })) << ready;
}

}  // namespace
}  // namespace gateway::kernels
