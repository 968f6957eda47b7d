#include "gateway/api/agent/session_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gateway/api/agent/fields.hpp"
#include "gateway/sessions/json_reading.hpp"

namespace gateway::api::agent {
namespace {

constexpr std::size_t most_name_bytes = 200;
constexpr std::size_t most_env_bytes = 128u << 10;  // what Linux takes for one variable (MAX_ARG_STRLEN)
constexpr std::size_t most_env_total = 256u << 10;
constexpr std::size_t most_network_bytes = 1u << 20;

bool has_control_character(const std::string& text) {
    return std::any_of(text.begin(), text.end(), [](unsigned char byte) { return byte < 0x20 || byte == 0x7f; });
}

void check_text(fields& from, const char* field, const std::string& text) {
    if (text.empty()) from.refuse(fmt::format("{} must not be empty", field));
    if (has_control_character(text))
        from.refuse(fmt::format("{} must hold no control character (NUL, line break, …)", field));
}

// A name is one segment of a URL, and is never taken for an id.
void check_name(fields& from, const char* field, const std::string& name) {
    check_text(from, field, name);
    if (name.find('/') != std::string::npos) from.refuse(fmt::format("{} must hold no slash", field));
    if (name == "." || name == "..") from.refuse(fmt::format("{} must not be {}, which a URL takes away", field, name));
    if (name.starts_with("ses_")) from.refuse(fmt::format("{} must not begin with ses_, as ids do", field));
}

bool is_variable_name(const std::string& name) {
    auto is_letter = [](unsigned char byte) { return std::isalnum(byte) || byte == '_'; };
    return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
           std::all_of(name.begin(), name.end(), is_letter);
}

void check_env(fields& from, const std::map<std::string, std::string>& env) {
    for (const auto& [name, value] : env) {
        if (!is_variable_name(name)) from.refuse(fmt::format("env.{} is no name of a variable", shown(name)));
        if (value.size() + name.size() + 2 > most_env_bytes)
            from.refuse(fmt::format("env.{} is longer than {} bytes", shown(name), most_env_bytes));
        if (value.find('\0') != std::string::npos) from.refuse(fmt::format("env.{} must not hold a NUL", shown(name)));
    }
}

std::optional<egress::policy> network_policy(fields& from, std::size_t max_rules) {
    const auto text = from.object("network", most_network_bytes);
    if (text.empty()) return std::nullopt;
    auto parsed = egress::parse_policy(sessions::parse_object(text), max_rules);
    if (parsed) return std::move(*parsed);
    from.refuse(parsed.error().message);
    return std::nullopt;
}

result<void> check_user(const std::string& user, const http::principal& caller) {
    if (caller.is_admin() || user == caller.user_id) return {};
    return failure{errc::forbidden,
                   fmt::format("user_id {} is another user; this key acts for {} alone", user, caller.user_id)};
}

// Nothing when it is absent, an empty value when it is null.
template <class T, class Take>
std::optional<std::optional<T>> changed(fields& from, const char* name, Take take) {
    std::optional<std::optional<T>> made;
    std::optional<T> value = take();
    if (value || from.is_null(name)) made.emplace(std::move(value));
    return made;
}

std::optional<std::optional<milliseconds>> changed_seconds(fields& from, const char* name) {
    return changed<milliseconds>(from, name, [&] { return from.seconds(name); });
}

}  // namespace

result<sessions::session_change> parse_session_change(const std::string& body, std::size_t max_network_rules) {
    auto object = read_request(body, request_form::plain);
    if (!object) return object.error();
    fields from(*object);
    sessions::session_change made;
    made.name = changed<std::string>(from, "name", [&] { return from.text("name", most_name_bytes); });
    if (made.name && *made.name) check_name(from, "name", **made.name);
    made.cell_timeout = changed_seconds(from, "cell_timeout_s");
    made.idle_timeout = changed_seconds(from, "idle_timeout_s");
    made.lifetime = changed_seconds(from, "lifetime_s");
    made.error_correction =
        changed<sessions::correction_mode>(from, "error_correction", [&] { return from.error_correction(); });
    made.install = changed<bool>(from, "install", [&] { return from.flag("install"); });
    made.network = changed<egress::policy>(from, "network", [&] { return network_policy(from, max_network_rules); });
    made.sandbox = from.object("sandbox", sessions::most_sandbox_bytes);
    made.forget_sandbox = from.is_null("sandbox");
    if (auto good = from.finish(); !good) return good.error();
    return made;
}

result<sessions::session_options> parse_session_request(const std::string& body, const http::principal& caller,
                                                        std::size_t max_network_rules) {
    auto object = read_request(body, request_form::plain);
    if (!object) return object.error();
    fields from(*object);
    sessions::session_options made;
    made.made_by = sessions::origin::agent;
    made.user_id = from.text("user_id", most_name_bytes).value_or(caller.user_id);
    check_text(from, "user_id", made.user_id);
    if (auto name = from.text("name", most_name_bytes)) {
        check_name(from, "name", *name);
        made.name = *name;
    }
    made.kernel_name = from.text("kernel_name", most_name_bytes).value_or("");
    made.sandbox = from.object("sandbox", sessions::most_sandbox_bytes);
    if (made.sandbox.empty()) made.sandbox = "{}";
    if (auto good = sessions::read_sandbox(made.sandbox); !good) from.refuse(good.error().message);
    made.env = from.texts("env", most_env_total);
    check_env(from, made.env);
    made.cell_timeout = from.seconds("cell_timeout_s");
    made.idle_timeout = from.seconds("idle_timeout_s");
    made.lifetime = from.seconds("lifetime_s");
    made.settings = from.settings();
    made.network = network_policy(from, max_network_rules);
    if (auto good = from.finish(); !good) return good.error();
    if (auto allowed = check_user(made.user_id, caller); !allowed) return allowed.error();
    return made;
}

}  // namespace gateway::api::agent
