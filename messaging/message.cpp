#include "messaging/message.hpp"

#include <openssl/rand.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <stdexcept>
#include <utility>

#include "messaging/json_scanner.hpp"
#include "messaging/json_string.hpp"

namespace messaging {
namespace {

constexpr std::size_t max_header = 64 * 1024;

constexpr std::array<std::string_view, 4> channel_names = {"shell", "control", "stdin", "iopub"};

using header_field = std::string header_fields::*;

constexpr std::array<std::pair<std::string_view, header_field>, 4> header_names = {{
    {"msg_id", &header_fields::msg_id},
    {"msg_type", &header_fields::msg_type},
    {"session", &header_fields::session},
    {"subshell_id", &header_fields::subshell_id},
}};

header_field find_field(std::string_view key) {
    for (const auto& [name, field] : header_names)
        if (key == name) return field;
    return nullptr;
}

std::size_t total(const std::vector<std::string>& parts) {
    std::size_t sum = 0;
    for (const auto& part : parts) sum += part.size();
    return sum;
}

// ISO 8601 in UTC with six digits of a second, as Jupyter's own date fields.
std::string date_now() {
    auto now = std::chrono::system_clock::now();
    auto seconds = std::chrono::time_point_cast<std::chrono::seconds>(now);
    auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now - seconds).count();
    std::time_t clock = std::chrono::system_clock::to_time_t(seconds);
    std::tm parts{};
    gmtime_r(&clock, &parts);
    char text[80];
    std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%06ldZ", parts.tm_year + 1900, parts.tm_mon + 1,
                  parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, static_cast<long>(micros));
    return text;
}

}  // namespace

std::string_view to_string(channel where) { return channel_names[static_cast<std::size_t>(where)]; }

std::optional<channel> find_channel(std::string_view name) {
    for (std::size_t index = 0; index < channel_names.size(); ++index)
        if (channel_names[index] == name) return static_cast<channel>(index);
    return std::nullopt;
}

std::size_t message::size() const {
    return total(identities) + header.size() + parent_header.size() + metadata.size() + content.size() + total(buffers);
}

result<header_fields> parse_header(std::string_view json) {
    if (json.size() > max_header) return errc::too_large;
    header_fields fields;
    member_scanner members(json);
    json_member each;
    std::string unescaped;
    while (members.next(each)) {
        auto field = find_field(key_of(each, unescaped));
        if (!field) continue;
        // JupyterLab writes "subshell_id": null; a repeated key counts with its last value, as in every kernel.
        if (each.value == "null")
            (fields.*field).clear();
        else if (is_string(each.value))
            fields.*field = unquote(each.value);
        else
            return errc::bad_json;
    }
    if (!members.valid()) return errc::bad_json;
    return fields;
}

std::string make_id() {
    std::array<unsigned char, 16> bytes{};
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) throw std::runtime_error("no random numbers");
    bytes[6] = (bytes[6] & 0x0F) | 0x40;  // RFC 4122: version 4
    bytes[8] = (bytes[8] & 0x3F) | 0x80;  // variant 1
    static constexpr char digits[] = "0123456789abcdef";
    std::string id;
    id.reserve(36);
    for (std::size_t index = 0; index < bytes.size(); ++index) {
        if (index == 4 || index == 6 || index == 8 || index == 10) id += '-';
        id += digits[bytes[index] >> 4];
        id += digits[bytes[index] & 15];
    }
    return id;
}

std::string make_header(std::string_view msg_type, std::string_view session, std::string_view msg_id,
                        std::string_view username, std::string_view version) {
    std::string header = "{\"msg_id\":" + quote(msg_id.empty() ? make_id() : msg_id);
    header += ",\"msg_type\":" + quote(msg_type);
    header += ",\"username\":" + quote(username);
    header += ",\"session\":" + quote(session);
    header += ",\"date\":" + quote(date_now());
    header += ",\"version\":" + quote(version) + "}";
    return header;
}

message make_message(channel where, std::string_view msg_type, std::string_view session, std::string content,
                     std::string parent_header) {
    message made;
    made.where = where;
    made.header = make_header(msg_type, session);
    made.parent_header = std::move(parent_header);
    made.content = std::move(content);
    return made;
}

}  // namespace messaging
