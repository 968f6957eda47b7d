// One zygote process, as the launcher sees it. A resource: when it goes, the process is killed and reaped; the kernels
// that were forked from it live on. The launcher is single-threaded; only the destructor waits.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kernel/launcher/file_descriptor.hpp"
#include "kernel/launcher/output_file.hpp"
#include "kernel/launcher/protocol.hpp"
#include "kernel/launcher/zygote_protocol.hpp"
#include "kernel/sandbox/namespaces.hpp"

namespace kernel {

// A kernel to be forked: what the zygote is sent, and the descriptors that go with it.
struct fork_job {
    fork_request request;
    file_descriptor init;
    file_descriptor reports;
    file_descriptor output;
    file_descriptor wall;
    std::vector<file_descriptor> groups;
};

class zygote {
  public:
    using clock = std::chrono::steady_clock;

    // Forks the process. Throws box_error.
    zygote(const zygote_command& what, const isolation& how);
    zygote(zygote&&) noexcept = default;
    zygote& operator=(zygote&&) = delete;
    ~zygote();

    int replies() const { return socket_.get(); }  // readable: call receive()
    int end() const { return pidfd_.get(); }       // readable: it has ended
    int pid() const { return pid_; }
    // Nothing when none is there.
    std::optional<zygote_reply> receive();

    bool started() const { return started_; }
    bool idle() const { return started_ && forking_.empty(); }
    // The id of the job that it was given and did not answer; empty when idle.
    const std::string& forking() const { return forking_; }
    // Only when idle. False when it could not be told.
    bool fork(const fork_job& job);
    // When it must have answered; nothing when it owes no answer.
    std::optional<clock::time_point> deadline() const;

    void kill();  // with what it started, besides kernels
    void trim_output() { output_.trim(); }
    // The end of what it printed, without the last line break.
    std::string words() const;
    // "; its last words: …", or nothing.
    std::string last_words() const;
    // "ended with status 1; its last words: …". Reaps: when end() is readable.
    std::string obituary();
    // After obituary(): by a signal, not by itself.
    bool was_killed() const { return was_killed_; }

  private:
    std::chrono::milliseconds start_limit_;
    std::chrono::milliseconds fork_limit_;
    output_file output_;
    file_descriptor socket_;
    file_descriptor pidfd_;
    int pid_ = 0;
    bool started_ = false;
    bool reaped_ = false;
    bool was_killed_ = false;
    std::string forking_;
    clock::time_point asked_;
};

}  // namespace kernel
