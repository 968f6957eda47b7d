// What a kernel is told about its sockets, as Jupyter's connection file has it. A value.
#pragma once

#include <string>
#include <string_view>

#include "messaging/error.hpp"
#include "messaging/message.hpp"

namespace messaging {

struct connection_info {
    std::string transport = "ipc";  // "ipc" or "tcp"
    std::string ip;                 // a path prefix for ipc ("/run/k/k" gives /run/k/k-1 …), an address for tcp
    int shell_port = 1;
    int iopub_port = 2;
    int stdin_port = 3;
    int control_port = 4;
    int hb_port = 5;
    std::string key;
    std::string signature_scheme = "hmac-sha256";
    std::string kernel_name;

    // "ipc:///run/k/k-1" or "tcp://127.0.0.1:4711"
    std::string endpoint(int port) const;
    bool operator==(const connection_info&) const = default;
};

std::string to_json(const connection_info& info);
result<connection_info> parse_connection_file(std::string_view json);

}  // namespace messaging
