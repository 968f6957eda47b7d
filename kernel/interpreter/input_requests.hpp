// input() and getpass(): questions on the stdin channel, and the threads that wait for their answers.
// Any thread asks; the io thread delivers.
#pragma once

#include <list>
#include <mutex>
#include <optional>
#include <string>

#include "kernel/launcher/file_descriptor.hpp"
#include "kernel/server/kernel_server.hpp"

namespace kernel {

class input_requests {
  public:
    input_requests(kernel_server& server, std::string session) : server_(server), session_(std::move(session)) {}

    // One question, from its construction to the end of its scope.
    class question {
      public:
        // To the client of `request`.
        question(input_requests& all, const messaging::message& request, std::string_view parent_header,
                 std::string_view prompt, bool password);
        ~question();
        question(const question&) = delete;
        question& operator=(const question&) = delete;

        // Nothing yet when a signal came, when somebody woke it, or 0.1 s has passed: look around and wait again.
        std::optional<std::string> wait();

      private:
        friend class input_requests;
        input_requests& all_;
        std::string id_;         // msg_id of the input_request
        std::string parent_id_;  // of the request that asked
        file_descriptor answered_;
        std::optional<std::string> answer_;
    };

    // An input_reply: to the question that it (or the question's request) names as its parent, without one to the
    // oldest that waits; stale ones go nowhere.
    void deliver(const messaging::message& reply);
    // Every wait() returns.
    void wake();

  private:
    kernel_server& server_;
    std::string session_;
    std::mutex mutex_;
    std::list<question*> waiting_;
};

}  // namespace kernel
