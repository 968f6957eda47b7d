// A kernel's own directory under the runtime directory: RUNTIME_DIR/<first 8 of id>/
//   k/                  bound to /run/k in the box: sockets k-1 … k-5 and connection.json with the box's paths
//   connection.json     for clients outside the box
//   output.log          what the process wrote to stdout and stderr
// Files are 0600, directories 0700. Owned by one kernel, removed with it; io thread.
#pragma once

#include <string>
#include <vector>

#include "gateway/base/result.hpp"
#include "gateway/kernels/kernel_state.hpp"
#include "kernel/launcher/protocol.hpp"
#include "messaging/connection_file.hpp"

namespace gateway::kernels {

class kernel_files {
  public:
    kernel_files(const std::string& runtime_dir, const std::string& id);
    ~kernel_files();
    kernel_files(const kernel_files&) = delete;
    kernel_files& operator=(const kernel_files&) = delete;

    // Fresh files for the next process: whatever the last one left is gone, as it may be links that lead elsewhere. The
    // key stays, so that clients with the connection file find the next process again. Answers what to connect to: with
    // a network of its own, the Unix sockets of relays() where the kernel can only do tcp.
    result<messaging::connection_info> renew(transport over, const std::string& kernel_name, bool own_network);
    void remove();

    std::string box_directory() const { return directory_ + "/k"; }
    const std::vector<::kernel::tcp_relay>& relays() const { return relays_; }
    std::string output_file() const { return directory_ + "/output.log"; }
    const std::string& connection_file() const { return connection_file_; }
    // The last lines of output.log, valid UTF-8 without control characters; empty when there are none.
    std::string output_tail() const;

  private:
    result<void> make_directories();

    std::string runtime_dir_;
    std::string id_;
    std::string directory_;
    std::string connection_file_;
    std::string key_;
    std::vector<::kernel::tcp_relay> relays_;
};

}  // namespace gateway::kernels
