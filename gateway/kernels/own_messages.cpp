#include "gateway/kernels/own_messages.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/kernels/launch_command.hpp"

namespace gateway::kernels {
namespace {

using json = nlohmann::json;
using messaging::channel;

// Runs in a namespace of its own, so that no name stays behind. The package's directory is first on sys.path while it
// is imported (a user's file of the same name must not win) and last afterwards (it must not shadow a user's module).
constexpr const char* injected_code = R"(exec('''
import sys
where = "/opt/cellgate/python"
sys.path.insert(0, where)
try:
    import cellgate_kernel
    cellgate_kernel.install(given)
except Exception as error:
    sys.stderr.write(f"{type(error).__name__}: {error}")
finally:
    sys.path[:] = [path for path in sys.path if path != where] + [where]
''', {"__name__": "cellgate_injection", "given": )";

// JSON in ASCII inside a string literal: valid Python whatever the values hold.
std::string python_literal(const json& value) {
    return "__import__('json').loads(" + json(value.dump(-1, ' ', true, json::error_handler_t::replace)).dump() + ")";
}

std::string configuring_code(const json& arguments) {
    return "exec('import cellgate_kernel; cellgate_kernel.configure(**given)', {'given': " + python_literal(arguments) +
           "})";
}

std::string to_text(const json& from) { return from.dump(-1, ' ', false, json::error_handler_t::replace); }

json object_of(const std::string& text) {
    auto parsed = json::parse(text, nullptr, false);
    return parsed.is_object() ? parsed : json::object();
}

messaging::message make_silent_execute(const std::string& session, const std::string& code, json cellgate) {
    json content = {{"code", code},         {"silent", true},         {"store_history", false},
                    {"allow_stdin", false}, {"stop_on_error", false}, {"user_expressions", json::object()}};
    auto made = messaging::make_message(channel::shell, "execute_request", session, to_text(content));
    json metadata = {{"cellgate", std::move(cellgate)}};
    made.metadata = to_text(metadata);
    return made;
}

}  // namespace

messaging::message make_probe(channel where, const std::string& session) {
    return messaging::make_message(where, "kernel_info_request", session, "{}");
}

messaging::message make_interrupt_request(const std::string& session) {
    return messaging::make_message(channel::control, "interrupt_request", session, "{}");
}

messaging::message make_shutdown_request(const std::string& session, bool restart) {
    return messaging::make_message(channel::control, "shutdown_request", session,
                                   restart ? R"({"restart": true})" : R"({"restart": false})");
}

messaging::message make_injection(const std::string& session, const std::string& helper_key,
                                  const std::string& preload_metadata, const std::string& cell_defaults,
                                  settings_place where) {
    auto cellgate = object_of(preload_metadata);
    cellgate.update(object_of(cell_defaults));
    cellgate["helper_key"] = helper_key;
    cellgate["socket"] = std::string(box_helper) + "/helper.sock";
    auto given = where == settings_place::code ? python_literal(cellgate) : "None";
    return make_silent_execute(session, injected_code + given + "})", std::move(cellgate));
}

messaging::message make_configuration(const std::string& session,
                                      const std::map<std::string, std::optional<std::string>>& env,
                                      const std::string& cell_defaults) {
    json values = json::object();
    for (const auto& [name, value] : env) values[name] = value ? json(*value) : json(nullptr);
    json arguments = {{"env", std::move(values)}, {"cell_defaults", object_of(cell_defaults)}};
    return make_silent_execute(session, configuring_code(arguments), json::object());
}

settings_place settings_place_of(const std::string& info_reply) {
    return object_of(info_reply).value("implementation", json()) == "ipython" ? settings_place::metadata
                                                                              : settings_place::code;
}

std::string stream_text(const std::string& content) {
    auto text = object_of(content).value("text", json());
    return text.is_string() ? text.get<std::string>() : "";
}

std::string reply_error(const std::string& content) {
    auto reply = object_of(content);
    auto text = [&](const char* key) {
        auto found = reply.find(key);
        return found != reply.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    auto status = text("status");
    if (status == "ok") return {};
    return text("ename").empty() ? "status " + (status.empty() ? "missing" : status)
                                 : text("ename") + ": " + text("evalue");
}

}  // namespace gateway::kernels
