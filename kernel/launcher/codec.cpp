#include "kernel/launcher/codec.hpp"

#include <limits>
#include <nlohmann/json.hpp>

namespace kernel {
namespace {

using json = nlohmann::json;

// Paths and environments are bytes, not always UTF-8, and JSON knows only text: each byte is written as the character
// of that number (U+0000 to U+00FF).
std::string to_text(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size());
    for (unsigned char each : bytes) {
        if (each >= 0x80) text.push_back(static_cast<char>(0xC0 | (each >> 6)));
        text.push_back(static_cast<char>(each >= 0x80 ? 0x80 | (each & 0x3F) : each));
    }
    return text;
}

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

// null, which no read() takes, when there is no such field.
const json& field(const json& object, const char* name) {
    static const json nothing;
    if (!object.is_object()) return nothing;
    auto found = object.find(name);
    return found == object.end() ? nothing : *found;
}

bool read(const json& value, bind_mount& out) {
    return read(field(value, "source"), out.source) && read(field(value, "target"), out.target) &&
           read(field(value, "writable"), out.writable);
}

template <class T>
bool read(const json& value, std::vector<T>& out) {
    if (!value.is_array()) return false;
    for (const json& each : value)
        if (!read(each, out.emplace_back())) return false;
    return true;
}

bool read(const json& value, std::map<std::string, std::string>& out) {
    if (!value.is_object()) return false;
    for (const auto& [name, each] : value.items()) {
        std::string bytes;
        if (!to_bytes(name, bytes) || !read(each, out[bytes])) return false;
    }
    return true;
}

bool read(const json& from, launch_request& out) {
    return read(field(from, "id"), out.id) && read(field(from, "argv"), out.argv) &&
           read(field(from, "env"), out.env) && read(field(from, "working_dir"), out.working_dir) &&
           read(field(from, "mounts"), out.mounts) && read(field(from, "hostname"), out.hostname) &&
           read(field(from, "output_file"), out.output_file);
}

bool read(const json& from, signal_command& out) {
    return read(field(from, "id"), out.id) && read(field(from, "number"), out.number);
}

bool read(const json& from, kill_command& out) { return read(field(from, "id"), out.id); }

bool read(const json& from, launch_answer& out) {
    return read(field(from, "id"), out.id) && read(field(from, "pid"), out.pid) &&
           read(field(from, "init_pid"), out.init_pid) && read(field(from, "error"), out.error);
}

bool read(const json& from, signal_notice& out) { return read(field(from, "id"), out.id); }

bool read(const json& from, exit_notice& out) {
    return read(field(from, "id"), out.id) && read(field(from, "status"), out.status);
}

json to_json(const launch_request& from) {
    json argv = json::array();
    for (const std::string& each : from.argv) argv.push_back(to_text(each));
    json env = json::object();
    for (const auto& [name, value] : from.env) env[to_text(name)] = to_text(value);
    json mounts = json::array();
    for (const bind_mount& each : from.mounts)
        mounts.push_back(
            {{"source", to_text(each.source)}, {"target", to_text(each.target)}, {"writable", each.writable}});
    return {{"id", to_text(from.id)},
            {"argv", std::move(argv)},
            {"env", std::move(env)},
            {"working_dir", to_text(from.working_dir)},
            {"mounts", std::move(mounts)},
            {"hostname", to_text(from.hostname)},
            {"output_file", to_text(from.output_file)}};
}

json to_json(const signal_command& from) { return {{"id", to_text(from.id)}, {"number", from.number}}; }

json to_json(const kill_command& from) { return {{"id", to_text(from.id)}}; }

json to_json(const launch_answer& from) {
    return {{"id", to_text(from.id)}, {"pid", from.pid}, {"init_pid", from.init_pid}, {"error", to_text(from.error)}};
}

json to_json(const signal_notice& from) { return {{"id", to_text(from.id)}}; }

json to_json(const exit_notice& from) { return {{"id", to_text(from.id)}, {"status", from.status}}; }

const char* name_of(const launch_request&) { return "launch"; }
const char* name_of(const signal_command&) { return "signal"; }
const char* name_of(const kill_command&) { return "kill"; }
const char* name_of(const launch_answer&) { return "answer"; }
const char* name_of(const exit_notice&) { return "exit"; }
const char* name_of(const signal_notice&) { return "signalled"; }

// {"launch": {…}}: one member, named after the alternative.
template <class Variant>
std::string encode_one(const Variant& what) {
    return std::visit([](const auto& each) { return json{{name_of(each), to_json(each)}}.dump(); }, what);
}

template <class Variant, class T>
bool decode_as(const json& object, std::optional<Variant>& out) {
    T each;
    if (read(field(object, name_of(each)), each)) out = std::move(each);
    return out.has_value();
}

template <class Variant, class... Alternatives>
std::optional<Variant> decode_one(std::string_view text) {
    std::optional<Variant> out;
    json object = json::parse(text, nullptr, false);
    if (object.is_object()) (void)(decode_as<Variant, Alternatives>(object, out) || ...);
    return out;
}

}  // namespace

std::string encode(const command& what) { return encode_one(what); }

std::string encode(const reply& what) { return encode_one(what); }

std::optional<command> decode_command(std::string_view text) {
    return decode_one<command, launch_request, signal_command, kill_command>(text);
}

std::optional<reply> decode_reply(std::string_view text) {
    return decode_one<reply, launch_answer, exit_notice, signal_notice>(text);
}

}  // namespace kernel
