#include "kernel/launcher/json_fields.hpp"

#include <limits>
#include <nlohmann/json.hpp>

namespace kernel {
namespace {

using json = nlohmann::json;

bool to_bytes(const std::string& text, std::string& bytes) {
    bytes.clear();
    for (std::size_t at = 0; at < text.size(); ++at) {
        auto each = static_cast<unsigned char>(text[at]);
        if (each < 0x80) {
            bytes.push_back(static_cast<char>(each));
            continue;
        }
        // The parser has checked that the text is UTF-8; only the two-byte forms of U+0080 to U+00FF are ours.
        if (each != 0xC2 && each != 0xC3) return false;
        ++at;
        bytes.push_back(static_cast<char>((each & 0x03) << 6 | (static_cast<unsigned char>(text[at]) & 0x3F)));
    }
    return true;
}

using kernel::read;

bool read(const json& value, bind_mount& out) {
    return read(field(value, "source"), out.source) && read(field(value, "target"), out.target) &&
           read(field(value, "writable"), out.writable);
}

bool read(const json& value, tcp_relay& out) {
    return read(field(value, "socket"), out.socket) && read(field(value, "port"), out.port);
}

template <class T>
bool read_all(const json& value, std::vector<T>& out) {
    if (!value.is_array()) return false;
    for (const json& each : value)
        if (!read(each, out.emplace_back())) return false;
    return true;
}

}  // namespace

std::string to_text(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size());
    for (unsigned char each : bytes) {
        if (each >= 0x80) text.push_back(static_cast<char>(0xC0 | (each >> 6)));
        text.push_back(static_cast<char>(each >= 0x80 ? 0x80 | (each & 0x3F) : each));
    }
    return text;
}

bool read(const json& value, std::string& out) {
    return value.is_string() && to_bytes(value.get_ref<const std::string&>(), out);
}

bool read(const json& value, bool& out) {
    if (value.is_boolean()) out = value.get<bool>();
    return value.is_boolean();
}

bool read(const json& value, std::int32_t& out) {
    if (!value.is_number_integer()) return false;
    auto number = value.get<std::int64_t>();
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::numeric_limits<std::int32_t>::max())
        return false;
    if (number < std::numeric_limits<std::int32_t>::min() || number > std::numeric_limits<std::int32_t>::max())
        return false;
    out = static_cast<std::int32_t>(number);
    return true;
}

bool read(const json& value, std::int64_t& out) {
    if (!value.is_number_integer()) return false;
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
        return false;
    out = value.get<std::int64_t>();
    return true;
}

const json& field(const json& object, const char* name) {
    static const json nothing;
    if (!object.is_object()) return nothing;
    auto found = object.find(name);
    return found == object.end() ? nothing : *found;
}

bool read(const json& value, std::vector<std::string>& out) { return read_all(value, out); }

bool read(const json& value, std::vector<bind_mount>& out) { return read_all(value, out); }

bool read(const json& value, std::vector<tcp_relay>& out) { return read_all(value, out); }

bool read(const json& value, std::map<std::string, std::string>& out) {
    if (!value.is_object()) return false;
    for (const auto& [name, each] : value.items()) {
        std::string bytes;
        if (!to_bytes(name, bytes) || !read(each, out[bytes])) return false;
    }
    return true;
}

json to_json(const std::vector<std::string>& from) {
    json out = json::array();
    for (const std::string& each : from) out.push_back(to_text(each));
    return out;
}

json to_json(const std::vector<bind_mount>& from) {
    json out = json::array();
    for (const bind_mount& each : from)
        out.push_back(
            {{"source", to_text(each.source)}, {"target", to_text(each.target)}, {"writable", each.writable}});
    return out;
}

json to_json(const std::vector<tcp_relay>& from) {
    json out = json::array();
    for (const tcp_relay& each : from) out.push_back({{"socket", to_text(each.socket)}, {"port", each.port}});
    return out;
}

json to_json(const std::map<std::string, std::string>& from) {
    json out = json::object();
    for (const auto& [name, value] : from) out[to_text(name)] = to_text(value);
    return out;
}

}  // namespace kernel
