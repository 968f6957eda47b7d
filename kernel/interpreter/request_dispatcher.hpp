// Takes the requests of one shell thread through a xeus kernel of its own: busy, the answer, idle; queued cells are
// aborted when one failed. Everything of xeus is in request_dispatcher.cpp. Made, used and destroyed on that thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kernel/interpreter/answers.hpp"
#include "kernel/interpreter/shell_queue.hpp"
#include "kernel/server/kernel_server.hpp"

namespace kernel {

class request_dispatcher {
  public:
    // All outlive this. `queue` is where the shell's next requests wait.
    request_dispatcher(kernel_server& server, answers& who, shell_queue& queue, std::string session);
    ~request_dispatcher();
    request_dispatcher(const request_dispatcher&) = delete;
    request_dispatcher& operator=(const request_dispatcher&) = delete;

    // Whether xeus dispatches requests of the type; the others reach answers::handle().
    static bool is_for_xeus(std::string_view type);
    // To the end: every request gets its reply.
    void handle(const messaging::message& request);

  private:
    struct implementation;
    std::unique_ptr<implementation> implementation_;
};

}  // namespace kernel
