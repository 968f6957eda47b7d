// The shells of a kernel: the main one, and the subshells of JEP 91. The table may be asked by any thread; a shell is
// used by its own thread but for what is marked.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kernel/interpreter/answers.hpp"
#include "kernel/interpreter/request_dispatcher.hpp"
#include "kernel/interpreter/shell_queue.hpp"

namespace kernel {

struct shell {
    explicit shell(std::string id) : id(std::move(id)) {}

    const std::string id;                // empty: main
    shell_queue queue;                   // any thread
    std::atomic<bool> executing{false};  // a request is being handled
    // Somebody asked what a subshell does to end, and nothing has been raised yet.
    std::atomic<bool> interrupted{false};
    std::atomic<bool> waiting{false};  // in a wait of ours, which looks at `interrupted`; with the interpreter's lock
    std::atomic<unsigned long> thread{0};  // Python's identifier of its thread, once it runs
    std::unique_ptr<answers> who;          // made by its thread
    std::unique_ptr<request_dispatcher> dispatcher;
    const messaging::message* request = nullptr;  // the one that is handled
};

using shell_pointer = std::shared_ptr<shell>;

class shell_table {
  public:
    shell_table() : main_(std::make_shared<shell>("")) {}

    const shell_pointer& main() const { return main_; }
    shell_pointer add();
    // Null for an id that nobody has; "" is the main shell.
    shell_pointer find(const std::string& id) const;
    // The subshell takes nothing more and ends with what it handles; null when there is none of this id.
    shell_pointer remove(const std::string& id);
    std::vector<std::string> list() const;
    // The main shell and all others.
    void close_all();

  private:
    const shell_pointer main_;
    mutable std::mutex mutex_;
    std::map<std::string, shell_pointer> others_;
};

}  // namespace kernel
