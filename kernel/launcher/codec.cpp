#include "kernel/launcher/codec.hpp"

#include <nlohmann/json.hpp>

#include "kernel/launcher/json_fields.hpp"

namespace kernel {
namespace {

using json = nlohmann::json;
using kernel::read;
using kernel::to_json;

bool read(const json& from, zygote_command& out) {
    return read(field(from, "argv"), out.argv) && read(field(from, "mounts"), out.mounts) &&
           read(field(from, "start_limit_ms"), out.start_limit_ms) &&
           read(field(from, "fork_limit_ms"), out.fork_limit_ms);
}

bool read_optional(const json& from, std::optional<zygote_command>& out) {
    return from.is_null() || read(from, out.emplace());
}

bool read(const json& from, box_limits& out) {
    return read(field(from, "cpu_millis"), out.cpu_millis) && read(field(from, "memory_bytes"), out.memory_bytes) &&
           read(field(from, "pids"), out.pids);
}

bool read(const json& from, launch_request& out) {
    return read(field(from, "id"), out.id) && read(field(from, "argv"), out.argv) &&
           read(field(from, "env"), out.env) && read(field(from, "working_dir"), out.working_dir) &&
           read(field(from, "mounts"), out.mounts) && read(field(from, "hostname"), out.hostname) &&
           read(field(from, "output_file"), out.output_file) && read_optional(field(from, "zygote"), out.zygote) &&
           read(field(from, "limits"), out.limits) && read(field(from, "own_network"), out.own_network) &&
           read(field(from, "relays"), out.relays);
}

bool read(const json& from, signal_command& out) {
    return read(field(from, "id"), out.id) && read(field(from, "number"), out.number);
}

bool read(const json& from, kill_command& out) { return read(field(from, "id"), out.id); }

bool read(const json& from, limit_command& out) {
    return read(field(from, "id"), out.id) && read(field(from, "limits"), out.limits);
}

bool read(const json& from, limits_notice& out) {
    return read(field(from, "cpu"), out.cpu) && read(field(from, "memory"), out.memory) &&
           read(field(from, "pids"), out.pids) && read(field(from, "reason"), out.reason) &&
           read(field(from, "no_landlock"), out.no_landlock);
}

bool read(const json& from, prepare_command& out) { return read(field(from, "zygote"), out.zygote); }

bool read(const json& from, run_request& out) {
    return read(field(from, "id"), out.id) && read(field(from, "box"), out.box) &&
           read(field(from, "argv"), out.argv) && read(field(from, "env"), out.env) &&
           read(field(from, "working_dir"), out.working_dir);
}

bool read(const json& from, run_signal& out) {
    return read(field(from, "id"), out.id) && read(field(from, "number"), out.number) &&
           read(field(from, "sweep"), out.sweep);
}

bool read(const json& from, run_answer& out) {
    return read(field(from, "id"), out.id) && read(field(from, "pid"), out.pid) &&
           read(field(from, "error"), out.error) && read(field(from, "box_ended"), out.box_ended);
}

bool read(const json& from, run_end& out) {
    return read(field(from, "id"), out.id) && read(field(from, "status"), out.status) &&
           read(field(from, "box_ended"), out.box_ended);
}

bool read(const json& from, launch_answer& out) {
    return read(field(from, "id"), out.id) && read(field(from, "pid"), out.pid) &&
           read(field(from, "init_pid"), out.init_pid) && read(field(from, "error"), out.error);
}

bool read(const json& from, signal_notice& out) { return read(field(from, "id"), out.id); }

bool read(const json& from, exit_notice& out) {
    return read(field(from, "id"), out.id) && read(field(from, "status"), out.status) &&
           read(field(from, "oom"), out.oom);
}

bool read(const json& from, finding& out) {
    bool missing = false;
    if (!read(field(from, "missing"), missing)) return false;
    out.state = missing ? finding_state::missing : finding_state::present;
    return read(field(from, "subject"), out.subject) && read(field(from, "text"), out.text);
}

bool read(const json& from, fork_request& out) {
    return read(field(from, "id"), out.id) && read(field(from, "argv"), out.argv) &&
           read(field(from, "env"), out.env) && read(field(from, "working_dir"), out.working_dir) &&
           read(field(from, "unprivileged"), out.unprivileged) && read(field(from, "confined"), out.confined) &&
           read(field(from, "own_network"), out.own_network) && read(field(from, "walled"), out.walled);
}

bool read(const json& from, zygote_ready&) { return from.is_object(); }

bool read(const json& from, fork_done& out) {
    return read(field(from, "id"), out.id) && read(field(from, "pid"), out.pid);
}

bool read(const json& from, fork_refusal& out) {
    return read(field(from, "id"), out.id) && read(field(from, "error"), out.error) &&
           read(field(from, "spent"), out.spent);
}

bool read(const json& from, child_end& out) {
    return read(field(from, "pid"), out.pid) && read(field(from, "status"), out.status);
}

json to_json(const zygote_command& from) {
    return {{"argv", to_json(from.argv)},
            {"mounts", to_json(from.mounts)},
            {"start_limit_ms", from.start_limit_ms},
            {"fork_limit_ms", from.fork_limit_ms}};
}

json to_json(const box_limits& from) {
    return {{"cpu_millis", from.cpu_millis}, {"memory_bytes", from.memory_bytes}, {"pids", from.pids}};
}

json to_json(const launch_request& from) {
    json out = {{"id", to_text(from.id)},
                {"argv", to_json(from.argv)},
                {"env", to_json(from.env)},
                {"working_dir", to_text(from.working_dir)},
                {"mounts", to_json(from.mounts)},
                {"hostname", to_text(from.hostname)},
                {"output_file", to_text(from.output_file)},
                {"limits", to_json(from.limits)},
                {"own_network", from.own_network},
                {"relays", to_json(from.relays)}};
    if (from.zygote) out["zygote"] = to_json(*from.zygote);
    return out;
}

json to_json(const signal_command& from) { return {{"id", to_text(from.id)}, {"number", from.number}}; }

json to_json(const kill_command& from) { return {{"id", to_text(from.id)}}; }

json to_json(const limit_command& from) { return {{"id", to_text(from.id)}, {"limits", to_json(from.limits)}}; }

json to_json(const limits_notice& from) {
    return {{"cpu", from.cpu},
            {"memory", from.memory},
            {"pids", from.pids},
            {"reason", to_text(from.reason)},
            {"no_landlock", to_text(from.no_landlock)}};
}

json to_json(const prepare_command& from) { return {{"zygote", to_json(from.zygote)}}; }

json to_json(const run_request& from) {
    return {{"id", to_text(from.id)},
            {"box", to_text(from.box)},
            {"argv", to_json(from.argv)},
            {"env", to_json(from.env)},
            {"working_dir", to_text(from.working_dir)}};
}

json to_json(const run_signal& from) {
    return {{"id", to_text(from.id)}, {"number", from.number}, {"sweep", from.sweep}};
}

json to_json(const run_answer& from) {
    return {{"id", to_text(from.id)}, {"pid", from.pid}, {"error", to_text(from.error)}, {"box_ended", from.box_ended}};
}

json to_json(const run_end& from) {
    return {{"id", to_text(from.id)}, {"status", from.status}, {"box_ended", from.box_ended}};
}

json to_json(const launch_answer& from) {
    return {{"id", to_text(from.id)}, {"pid", from.pid}, {"init_pid", from.init_pid}, {"error", to_text(from.error)}};
}

json to_json(const signal_notice& from) { return {{"id", to_text(from.id)}}; }

json to_json(const exit_notice& from) { return {{"id", to_text(from.id)}, {"status", from.status}, {"oom", from.oom}}; }

json to_json(const finding& from) {
    return {{"subject", to_text(from.subject)},
            {"missing", from.state == finding_state::missing},
            {"text", to_text(from.text)}};
}

json to_json(const fork_request& from) {
    return {{"id", to_text(from.id)},
            {"argv", to_json(from.argv)},
            {"env", to_json(from.env)},
            {"working_dir", to_text(from.working_dir)},
            {"unprivileged", from.unprivileged},
            {"confined", from.confined},
            {"own_network", from.own_network},
            {"walled", from.walled}};
}

json to_json(const zygote_ready&) { return json::object(); }

json to_json(const fork_done& from) { return {{"id", to_text(from.id)}, {"pid", from.pid}}; }

json to_json(const fork_refusal& from) {
    return {{"id", to_text(from.id)}, {"error", to_text(from.error)}, {"spent", from.spent}};
}

json to_json(const child_end& from) { return {{"pid", from.pid}, {"status", from.status}}; }

const char* name_of(const launch_request&) { return "launch"; }
const char* name_of(const signal_command&) { return "signal"; }
const char* name_of(const kill_command&) { return "kill"; }
const char* name_of(const limit_command&) { return "limit"; }
const char* name_of(const limits_notice&) { return "limits"; }
const char* name_of(const prepare_command&) { return "prepare"; }
const char* name_of(const run_request&) { return "run"; }
const char* name_of(const run_signal&) { return "run_signal"; }
const char* name_of(const run_answer&) { return "runs"; }
const char* name_of(const run_end&) { return "run_end"; }
const char* name_of(const launch_answer&) { return "answer"; }
const char* name_of(const exit_notice&) { return "exit"; }
const char* name_of(const signal_notice&) { return "signalled"; }
const char* name_of(const fork_request&) { return "fork"; }
const char* name_of(const zygote_ready&) { return "ready"; }
const char* name_of(const fork_done&) { return "forked"; }
const char* name_of(const fork_refusal&) { return "refused"; }
const char* name_of(const child_end&) { return "ended"; }

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

std::string encode(const finding& what) { return to_json(what).dump(); }

std::string encode(const zygote_order& what) { return encode_one(what); }

std::string encode(const zygote_reply& what) { return encode_one(what); }

std::optional<command> decode_command(std::string_view text) {
    return decode_one<command, launch_request, signal_command, kill_command, prepare_command, run_request, run_signal,
                      limit_command>(text);
}

std::optional<reply> decode_reply(std::string_view text) {
    return decode_one<reply, launch_answer, exit_notice, signal_notice, run_answer, run_end, limits_notice>(text);
}

std::optional<finding> decode_finding(std::string_view text) {
    finding out;
    const json object = json::parse(text, nullptr, false);
    if (!object.is_object() || !read(object, out)) return std::nullopt;
    return out;
}

std::optional<zygote_order> decode_zygote_order(std::string_view text) {
    return decode_one<zygote_order, fork_request>(text);
}

std::optional<zygote_reply> decode_zygote_reply(std::string_view text) {
    return decode_one<zygote_reply, zygote_ready, fork_done, fork_refusal, child_end>(text);
}

}  // namespace kernel
