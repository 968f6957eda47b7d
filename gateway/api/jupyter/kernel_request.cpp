#include "gateway/api/jupyter/kernel_request.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "gateway/api/jupyter/notebook_sessions.hpp"
#include "messaging/json_problem.hpp"

namespace gateway::api::jupyter {
namespace {

using nlohmann::json;

constexpr std::size_t max_value_bytes = 4096;
// A launcher may pass values through a shell or a file of lines: the same letters that enterprise_gateway refuses.
constexpr std::string_view refused_letters("`$\n\r\0", 5);
// Set by the gateway itself: a client cannot claim to run elsewhere.
constexpr std::string_view reserved_name = "KERNEL_GATEWAY";

failure invalid(std::string message) { return failure{errc::invalid_request, std::move(message)}; }

bool is_taken(const std::string& name, const std::vector<std::string>& patterns) {
    if (name == reserved_name) return false;
    auto matches = [&](const std::string& pattern) { return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0; };
    return std::any_of(patterns.begin(), patterns.end(), matches);
}

bool is_name(const std::string& name) {
    return !name.empty() && name.find_first_of(std::string_view("=\0\n", 3)) == std::string::npos;
}

result<void> check_value(const std::string& name, const json& value) {
    if (!value.is_string()) return invalid("env." + name + " must be a string");
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() > max_value_bytes)
        return invalid("env." + name + " is longer than 4096 bytes: put long values in a file of the session");
    if (text.find_first_of(refused_letters) != std::string::npos)
        return invalid("env." + name + " must not hold a backtick, a dollar sign, a line break or a NUL");
    return {};
}

result<void> take_env(const json& from, const std::vector<std::string>& patterns, kernel_request& into) {
    if (from.is_null()) return {};
    if (!from.is_object()) return invalid("env must be an object of names and strings");
    for (const auto& [name, value] : from.items()) {
        if (!is_name(name) || !is_taken(name, patterns)) continue;
        auto checked = check_value(name, value);
        if (!checked && name == notebook_path_variable) continue;  // it is only shown, and a file may have any name
        if (!checked) return checked;
        into.env[name] = value.get<std::string>();
    }
    return {};
}

// The text of a field; empty when it is absent or null.
result<std::string> text_field(const json& from, const char* name) {
    auto found = from.find(name);
    if (found == from.end() || found->is_null()) return std::string();
    if (!found->is_string()) return invalid(std::string(name) + " must be a string");
    const auto& text = found->get_ref<const std::string&>();
    if (text.find('\0') != std::string::npos) return invalid(std::string(name) + " must not hold a NUL");
    if (text.size() > max_value_bytes) return invalid(std::string(name) + " is longer than 4096 bytes");
    return text;
}

std::string find_env(const kernel_request& from, const char* name) {
    auto found = from.env.find(name);
    return found == from.env.end() ? std::string() : found->second;
}

result<kernel_request> read_fields(const json& body, const std::vector<std::string>& client_env) {
    kernel_request made;
    auto name = text_field(body, "name"), path = text_field(body, "path"), id = text_field(body, "kernel_id");
    for (const auto* each : {&name, &path, &id})
        if (!*each) return each->error();
    auto taken = take_env(body.contains("env") ? body["env"] : json(), client_env, made);
    if (!taken) return taken.error();
    made.name = *name;
    made.username = find_env(made, "KERNEL_USERNAME");
    auto directory = find_env(made, "KERNEL_WORKING_DIR");
    made.working_dir = directory.empty() ? *path : directory;
    made.kernel_id = id->empty() ? find_env(made, "KERNEL_ID") : *id;
    return made;
}

}  // namespace

result<void> check_body(std::string_view body) {
    if (body.size() > most_body_bytes)
        return failure{errc::too_large, "the body has " + std::to_string(body.size()) + " bytes; at most " +
                                            std::to_string(most_body_bytes) + " are taken"};
    // It also bounds the nesting, which the document's own writer follows by recursion.
    auto problem = messaging::json_problem(body);
    if (!problem.empty()) return invalid("the body " + problem);
    return {};
}

bool is_uuid(std::string_view text) {
    if (text.size() != 36) return false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        bool dash = at == 8 || at == 13 || at == 18 || at == 23;
        if (dash ? text[at] != '-' : !std::isxdigit(static_cast<unsigned char>(text[at]))) return false;
    }
    return true;
}

result<kernel_request> parse_kernel_request(std::string_view body, const std::vector<std::string>& client_env) {
    if (body.find_first_not_of(" \t\r\n") == std::string_view::npos) return kernel_request{};
    if (auto good = check_body(body); !good) return good.error();
    auto parsed = json::parse(body, nullptr, false);
    if (parsed.is_null()) return kernel_request{};
    if (!parsed.is_object()) return invalid("the body must be a JSON object like {\"name\": \"python3\"}");
    auto made = read_fields(parsed, client_env);
    if (made && !made->kernel_id.empty() && !is_uuid(made->kernel_id))
        return invalid("kernel_id must be a UUID, 8-4-4-4-12 hexadecimal digits, not '" + made->kernel_id + "'");
    return made;
}

}  // namespace gateway::api::jupyter
