#include "gateway/api/jupyter/notebook_session_json.hpp"

#include <nlohmann/json.hpp>

#include "gateway/api/jupyter/json_text.hpp"

namespace gateway::api::jupyter {
namespace {

using nlohmann::json;

constexpr std::size_t most_text_bytes = 4096;  // kept with the row, and in every listing

failure invalid(std::string message) { return failure{errc::invalid_request, std::move(message)}; }

result<std::optional<std::string>> optional_text(const json& from, const char* name) {
    auto found = from.find(name);
    if (found == from.end() || found->is_null()) return std::optional<std::string>();
    if (!found->is_string()) return invalid(std::string(name) + " must be a string");
    auto text = found->get<std::string>();
    if (text.find('\0') != std::string::npos) return invalid(std::string(name) + " must not hold a NUL");
    if (text.size() > most_text_bytes) return invalid(std::string(name) + " is longer than 4096 bytes");
    return std::optional<std::string>(std::move(text));
}

// Releases before notebook 5 sent {"notebook": {"path", "name"}} instead of path, name and type.
json in_new_form(json body) {
    auto old = body.find("notebook");
    if (old == body.end() || !old->is_object() || body.contains("path")) return body;
    json notebook = *old;
    for (const char* each : {"path", "name"})
        if (notebook.contains(each)) body[each] = notebook[each];
    body["type"] = "notebook";
    return body;
}

// JupyterLab's PATCH sends the whole kernel model back: an id wins over a name.
result<void> read_kernel(const json& body, const std::vector<std::string>& client_env, notebook_session_request& into) {
    auto found = body.find("kernel");
    if (found == body.end() || found->is_null()) return {};
    if (!found->is_object()) return invalid("kernel must be an object with an id or a name");
    auto id = optional_text(*found, "id");
    if (!id) return id.error();
    into.kernel_id = id->value_or("");
    if (!into.kernel_id.empty()) return {};
    auto asked = parse_kernel_request(found->dump(), client_env);
    if (!asked) return failure{asked.error().code, "kernel: " + asked.error().message};
    if (!asked->name.empty()) into.kernel = std::move(*asked);
    return {};
}

result<notebook_session_request> parse(std::string_view text, const std::vector<std::string>& client_env) {
    if (auto good = check_body(text); !good) return good.error();
    auto body = json::parse(text, nullptr, false);
    if (!body.is_object()) return invalid("the body must be a JSON object with path, type and kernel");
    body = in_new_form(std::move(body));
    notebook_session_request made;
    auto path = optional_text(body, "path"), name = optional_text(body, "name"), type = optional_text(body, "type");
    for (const auto* each : {&path, &name, &type})
        if (!*each) return each->error();
    made.path = std::move(*path);
    made.name = std::move(*name);
    made.type = std::move(*type);
    auto kernel = read_kernel(body, client_env, made);
    if (!kernel) return kernel.error();
    return made;
}

}  // namespace

result<notebook_session_request> parse_new_session(std::string_view body, const std::vector<std::string>& client_env) {
    auto made = parse(body, client_env);
    if (!made) return made;
    if (!made->path) return invalid("path is missing: the path of the notebook, console or file");
    if (!made->type) return invalid("type is missing: notebook, console or file");
    if (made->kernel_id.empty() && !made->kernel) made->kernel = kernel_request{};
    return made;
}

result<notebook_session_request> parse_session_change(std::string_view body,
                                                      const std::vector<std::string>& client_env) {
    return parse(body, client_env);
}

std::string session_model(const notebook_session& row, const std::string& kernel_model) {
    std::string model = "{\"id\":" + json_string(row.id) + ",\"path\":" + json_string(row.path) +
                        ",\"name\":" + json_string(row.name) + ",\"type\":" + json_string(row.type) +
                        ",\"kernel\":" + kernel_model;
    if (row.type == "notebook")
        model += ",\"notebook\":{\"path\":" + json_string(row.path) + ",\"name\":" + json_string(row.name) + "}";
    return model += '}';
}

}  // namespace gateway::api::jupyter
