// A zygote without Python. As a fork server it misbehaves as the file `orders` beside its program says (read when it
// starts, one order a line); its children do what their argv says.
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <thread>

#include "kernel/zygote/fork_server.hpp"

namespace {

[[noreturn]] void hang() {
    for (;;) pause();
}

void* sleep_for_ever(void*) { hang(); }

void start_thread() {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, sleep_for_ever, nullptr) == 0) pthread_setname_np(thread, "a-busy-thread");
}

// As OpenBLAS does.
pthread_t busy;
std::atomic<bool> busy_ends = false;

void* be_busy(void*) {
    while (!busy_ends) sched_yield();
    return nullptr;
}

void end_busy() {
    if (busy_ends.exchange(true)) return;
    pthread_join(busy, nullptr);
}

void start_thread_until_fork() {
    pthread_create(&busy, nullptr, be_busy, nullptr);
    pthread_atfork(end_busy, nullptr, nullptr);
}

// Children are bound before they execute a shell.
void await_program(pid_t pid, const std::string& name) {
    const std::string file = "/proc/" + std::to_string(pid) + "/comm";
    for (std::string comm; comm != name; sched_yield()) {
        std::ifstream input(file);
        std::getline(input, comm);
    }
}

void print(const std::string& path) {
    if (std::filesystem::is_directory(path)) {
        std::vector<std::string> names;
        for (const auto& each : std::filesystem::directory_iterator(path)) names.push_back(each.path().filename());
        std::ranges::sort(names);
        for (const std::string& each : names) std::cout << each << "\n";
    } else {
        std::cout << std::ifstream(path).rdbuf();
    }
}

// Its own rights.
std::string what_it_is() {
    std::string text;
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("Cap") || line.starts_with("NoNewPrivs")) text += line + "\n";
    return text;
}

class fake_program final : public kernel::forkable {
  public:
    explicit fake_program(const std::filesystem::path& orders) {
        std::ifstream file(orders);
        for (std::string order, what; file >> order && std::getline(file >> std::ws, what);) orders_[order] = what;
    }

    void prepare() override {
        std::fprintf(stderr, "first line\nlast line\n");
        if (orders_.contains("throw")) throw std::runtime_error(orders_["throw"]);
        if (orders_.contains("look")) throw std::runtime_error(what_it_is());
        if (orders_.contains("exit")) _exit(std::stoi(orders_["exit"]));
        if (orders_.contains("hang-at-start")) hang();
        if (orders_.contains("thread-at-start")) start_thread();
        if (orders_.contains("thread-until-fork")) start_thread_until_fork();
        // What its children must not inherit: an open file, a variable.
        (void)!open("/etc/passwd", O_RDONLY);
        setenv("OF_THE_ZYGOTE", "1", 1);
    }

    pid_t fork() override {
        pid_t pid = ::fork();
        if (pid > 0 && is_turn("crash-after-fork")) abort();
        if (pid > 0 && is_turn("crash-when-child-runs")) {
            await_program(pid, "sh");
            abort();
        }
        return pid;
    }

    bool stale() override {
        ++requests_;
        if (is_turn("crash")) abort();
        if (is_turn("hang")) hang();
        if (is_turn("thread")) start_thread();
        return is_turn("stale");
    }

    int run_child(const kernel::child_options& options) override {
        const std::string verb = options.argv.at(1);
        const std::string what = options.argv.size() > 2 ? options.argv[2] : "";
        if (verb == "exit") return std::stoi(what);
        if (verb == "throw") throw std::runtime_error(what);
        if (verb == "hang") hang();
        options.bound();
        if (verb == "shell") execl("/bin/sh", "sh", "-c", what.c_str(), nullptr);
        if (verb == "shell") return 127;
        if (verb == "environment")
            for (char** each = environ; *each != nullptr; ++each) std::cout << *each << "\n";
        if (verb == "print") print(what);
        if (verb == "thread") std::thread([] { std::cout << "a thread ran\n"; }).join();
        std::cout << std::flush;
        return 0;
    }

  private:
    // "hang 2": at the second request of this process; "hang 0": at each.
    bool is_turn(const std::string& order) const {
        auto found = orders_.find(order);
        return found != orders_.end() && (std::stoi(found->second) == 0 || std::stoi(found->second) == requests_);
    }

    std::map<std::string, std::string> orders_;
    int requests_ = 0;
};

}  // namespace

int main(int, char** argv) {
    const std::filesystem::path itself = argv[0];
    fake_program program(itself.parent_path() / "orders");
    _exit(kernel::fork_server(program, kernel::zygote_socket).run());
}
