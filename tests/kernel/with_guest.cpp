#include "tests/kernel/with_guest.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace kernel {
namespace {

constexpr int deadline_ms = 20'000;

struct ends {
    file_descriptor reading;
    file_descriptor writing;
};

ends make_pipe() {
    int both[2];
    if (pipe2(both, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    return {file_descriptor(both[0]), file_descriptor(both[1])};
}

}  // namespace

std::string with_guest::start(const launch_request& what) {
    EXPECT_EQ(launch(what).error, "");
    return what.id;
}

void with_guest::end_host(const std::string& box) {
    send(kill_command{box});
    wait_for_exit(box);
}

run_request with_guest::guest(const std::string& box, const std::string& text) {
    run_request what;
    what.id = "run-" + std::to_string(++guests_);
    what.box = box;
    what.argv = {"bash", "-c", text};
    what.env = {{"PATH", "/usr/bin:/bin"}, {"HOME", "/home/user"}};
    what.working_dir = "/home/user";
    return what;
}

run_answer with_guest::run(const run_request& what) {
    ends in = make_pipe(), out = make_pipe(), err = make_pipe();
    const std::array theirs = {in.reading.get(), out.writing.get(), err.writing.get()};
    for (int each : theirs) give(each);
    send(what, theirs);
    in_ = std::move(in.writing);
    out_ = std::move(out.reading);
    err_ = std::move(err.reading);
    return take_run_answer(what.id);
}

void with_guest::write_stdin(const std::string& text) {
    EXPECT_EQ(::write(in_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    in_.reset();
}

std::string with_guest::read_all(file_descriptor& from) {
    std::string all;
    char buffer[4096];
    for (;;) {
        pollfd waited{from.get(), POLLIN, 0};
        if (poll(&waited, 1, deadline_ms) != 1) throw std::runtime_error("too late: the end of a guest's output");
        const ssize_t size = ::read(from.get(), buffer, sizeof buffer);
        if (size <= 0) return all;
        all.append(buffer, size);
    }
}

std::string with_guest::output_of_guest(const run_request& what) {
    EXPECT_EQ(run(what).error, "");
    write_stdin("");
    const run_end end = wait_for_run_end(what.id);
    EXPECT_EQ(end.status, 0) << stderr_text();
    EXPECT_FALSE(end.box_ended);
    return stdout_text();
}

}  // namespace kernel
