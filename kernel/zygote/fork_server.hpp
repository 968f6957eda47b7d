// The zygote's loop: reads fork requests from the launcher, forks a kernel into its box for each, and tells the ends of
// its children. Owns the process: one thread, to which prepare() and every fork belong.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel/launcher/file_descriptor.hpp"
#include "kernel/launcher/zygote_protocol.hpp"
#include "kernel/zygote/child.hpp"
#include "kernel/zygote/forkable.hpp"

namespace kernel {

class fork_server {
  public:
    // `socket` leads to the launcher (descriptor zygote_socket in a zygote); taken.
    fork_server(forkable& program, int socket) : program_(program), socket_(socket) {}

    // Prepares the program, then serves until the launcher has gone: 0. 1, told on stderr, when the program cannot be
    // prepared. Does not return in children: they end with _exit().
    int run();

  private:
    void start();
    void stop_library_threads();
    void serve();
    bool receive();
    void handle(fork_order order);
    std::string reason_to_refuse();
    void refuse(const std::string& id, const std::string& error, bool spent);
    void tell_ends();
    void tell(const zygote_reply& what);

    forkable& program_;
    file_descriptor socket_;
    file_descriptor own_namespace_;
    file_descriptor deaths_;
    std::vector<int> children_;
};

}  // namespace kernel
