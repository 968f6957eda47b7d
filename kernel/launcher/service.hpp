// The launcher's loop: commands from the gateway on one side, the boxes on the other. Single-threaded.
#pragma once

#include <poll.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "kernel/launcher/output_file.hpp"
#include "kernel/launcher/protocol.hpp"
#include "kernel/sandbox/box.hpp"

namespace kernel {

class service {
  public:
    // The socket is the caller's.
    explicit service(int socket) : socket_(socket) {}
    // Until the peer has gone; then every box has been killed and reaped.
    void run();

  private:
    struct living {
        output_file output;
        box inside;
        bool answered = false;
        bool silent = false;  // its init will report nothing more
    };

    bool receive_command();
    void handle(const launch_request& what);
    void handle(const signal_command& what);
    void handle(const kill_command& what);
    void update(const std::string& id, living& each);
    reply finish(const std::string& id, living& each);
    void look_after_boxes(const std::vector<pollfd>& waited);
    std::vector<pollfd> what_to_wait_for() const;
    void trim_outputs();
    void kill_all();
    void answer(const reply& what);

    int socket_;
    std::map<std::string, living> boxes_;
    std::chrono::steady_clock::time_point trimmed_;
};

}  // namespace kernel
