#include "messaging/connection_file.hpp"

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "messaging/signer.hpp"

namespace messaging {
namespace {

using nlohmann::json;

constexpr std::size_t max_file = 64 * 1024;

template <class T>
using named_field = std::pair<const char*, T connection_info::*>;

constexpr std::array<named_field<std::string>, 5> text_fields = {{
    {"transport", &connection_info::transport},
    {"ip", &connection_info::ip},
    {"key", &connection_info::key},
    {"signature_scheme", &connection_info::signature_scheme},
    {"kernel_name", &connection_info::kernel_name},
}};

constexpr std::array<named_field<int>, 5> port_fields = {{
    {"shell_port", &connection_info::shell_port},
    {"iopub_port", &connection_info::iopub_port},
    {"stdin_port", &connection_info::stdin_port},
    {"control_port", &connection_info::control_port},
    {"hb_port", &connection_info::hb_port},
}};

bool read_text(const json& file, const char* name, std::string& into) {
    auto found = file.find(name);
    if (found == file.end()) return true;
    if (!found->is_string()) return false;
    into = found->get<std::string>();
    return true;
}

bool read_port(const json& file, const char* name, int& into) {
    auto found = file.find(name);
    if (found == file.end() || !found->is_number_unsigned()) return false;
    auto port = found->get<std::uint64_t>();
    if (port < 1 || port > 65'535) return false;
    into = static_cast<int>(port);
    return true;
}

bool is_usable(const connection_info& info) {
    if (info.transport != "ipc" && info.transport != "tcp") return false;
    if (info.ip.empty() || info.ip.find('\0') != std::string::npos) return false;
    std::set<int> ports;
    for (const auto& [name, port] : port_fields) ports.insert(info.*port);
    return ports.size() == port_fields.size() && signer::make(info.key, info.signature_scheme);
}

}  // namespace

std::string connection_info::endpoint(int port) const {
    if (transport == "ipc") return "ipc://" + ip + "-" + std::to_string(port);
    bool bare_ipv6 = ip.find(':') != std::string::npos && ip.front() != '[';
    return transport + "://" + (bare_ipv6 ? "[" + ip + "]" : ip) + ":" + std::to_string(port);
}

std::string to_json(const connection_info& info) {
    json file = json::object();
    for (const auto& [name, field] : text_fields) file[name] = info.*field;
    for (const auto& [name, port] : port_fields) file[name] = info.*port;
    return file.dump(2, ' ', false, json::error_handler_t::replace);
}

result<connection_info> parse_connection_file(std::string_view text) {
    if (text.size() > max_file) return errc::bad_connection_file;
    json file = json::parse(text, nullptr, false);
    if (!file.is_object()) return errc::bad_connection_file;
    connection_info info;
    for (const auto& [name, field] : text_fields)
        if (!read_text(file, name, info.*field)) return errc::bad_connection_file;
    for (const auto& [name, port] : port_fields)
        if (!read_port(file, name, info.*port)) return errc::bad_connection_file;
    if (!file.contains("transport")) info.transport = "tcp";  // as jupyter_client reads it
    if (info.ip.empty() && info.transport == "tcp") info.ip = "127.0.0.1";
    if (!is_usable(info)) return errc::bad_connection_file;
    return info;
}

}  // namespace messaging
