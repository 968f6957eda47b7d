// /api/kernelspecs and the files of a kernelspec: the installed ones, and one for each session that can be entered.
#include <fstream>
#include <iterator>

#include "gateway/api/jupyter/attach_spec.hpp"
#include "gateway/api/jupyter/context.hpp"
#include "gateway/api/jupyter/kernelspec_json.hpp"

namespace gateway::api::jupyter {
namespace {

constexpr std::size_t max_resource_bytes = 4u << 20;  // logos and a kernel.js; larger is not one of them

// jupyter_server's client appends "/NAME" to ?user=USER instead of to the path when KERNEL_USERNAME is set.
struct user_query {
    std::string user;
    std::string spec_name;
};

user_query read_user_query(const http::request& from) {
    auto text = from.find_query("user").value_or("");
    auto slash = text.find('/');
    if (slash == std::string::npos) return {text, ""};
    return {text.substr(0, slash), text.substr(slash + 1)};
}

std::string forced_or(const context& with, const std::string& name) {
    return with.options.force_kernel_name.empty() ? name : with.options.force_kernel_name;
}

result<kernels::kernelspec> find_spec(context& with, const std::string& name, const std::string& user_id,
                                      bool is_admin) {
    auto attached = find_attached_id(name);
    if (!attached) return with.registry.specs().find(name);
    auto session = with.registry.find(*attached);
    if (session && (is_attachable(*session, user_id) || is_admin)) return attach_spec(*session, with.notebooks);
    return failure{errc::kernelspec_not_found, "the session behind " + name + " is gone"};
}

http::response answer_spec(context& with, const http::request& from, const std::string& name,
                           const std::string& user_id) {
    auto found = find_spec(with, name, user_id, from.caller.is_admin());
    if (!found) return refuse(found.error(), from);
    return http::json_response(kernelspec_model(*found, with.options.base_url));
}

std::vector<kernels::kernelspec> all_specs(context& with, const std::string& user_id) {
    std::vector<kernels::kernelspec> all;
    for (const auto& [name, spec] : with.registry.specs().list()) all.push_back(spec);
    for (const auto& session : with.registry.list())
        if (is_attachable(*session, user_id)) all.push_back(attach_spec(*session, with.notebooks));
    return all;
}

awaitable<http::response> list_specs(context& with, http::request& from) {
    auto asked = read_user_query(from);
    auto user_id = acting_user(from.caller, asked.user);
    if (!asked.spec_name.empty()) co_return answer_spec(with, from, asked.spec_name, user_id);
    auto default_name = forced_or(with, with.registry.default_kernel());
    co_return http::json_response(kernelspec_models(all_specs(with, user_id), default_name, with.options.base_url));
}

awaitable<http::response> get_spec(context& with, http::request& from) {
    co_return answer_spec(with, from, from.parameters.at(0),
                          acting_user(from.caller, from.find_query("user").value_or("")));
}

const char* content_type_of(const std::string& file) {
    static constexpr std::pair<std::string_view, const char*> known[] = {
        {".png", "image/png"}, {".svg", "image/svg+xml"},  {".jpg", "image/jpeg"},
        {".css", "text/css"},  {".js", "text/javascript"}, {".json", "application/json"},
    };
    for (const auto& [ending, type] : known)
        if (file.size() > ending.size() && file.compare(file.size() - ending.size(), ending.size(), ending) == 0)
            return type;
    return "application/octet-stream";
}

// Only the files that the spec lists as its resources: no other path can be named, so none can lead elsewhere.
bool is_resource(const kernels::kernelspec& spec, const std::string& file) {
    for (const auto& [name, listed] : spec.resources)
        if (listed == file) return true;
    return false;
}

result<std::string> read_resource(const kernels::kernelspec& spec, const std::string& file) {
    failure missing{errc::not_found, "the kernelspec " + spec.name + " has no file " + file};
    if (!is_resource(spec, file)) return missing;
    std::ifstream from(spec.directory + "/" + file, std::ios::binary | std::ios::ate);
    if (!from || from.tellg() < 0 || static_cast<std::size_t>(from.tellg()) > max_resource_bytes) return missing;
    std::string bytes(static_cast<std::size_t>(from.tellg()), '\0');
    from.seekg(0);
    if (!from.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) return missing;
    return bytes;
}

awaitable<http::response> get_resource(context& with, http::request& from) {
    auto found = find_spec(with, from.parameters.at(0), from.caller.user_id, from.caller.is_admin());
    if (!found) co_return refuse(found.error(), from);
    auto bytes = read_resource(*found, from.parameters.at(1));
    if (!bytes) co_return refuse(bytes.error(), from);
    http::response answer;
    answer.content_type = content_type_of(from.parameters.at(1));
    // A spec's files are data of whoever installed it: they never run as a page of the gateway's origin.
    answer.headers.emplace_back("X-Content-Type-Options", "nosniff");
    answer.headers.emplace_back("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox");
    answer.body = std::move(*bytes);
    co_return answer;
}

}  // namespace

void add_kernelspec_routes(http::router& routes, const std::shared_ptr<context>& with) {
    add_route(routes, with, "GET", "/api/kernelspecs", http::scope::execute, list_specs);
    add_route(routes, with, "GET", "/api/kernelspecs/{}", http::scope::execute, get_spec);
    add_route(routes, with, "GET", "/kernelspecs/{}/{*}", http::scope::execute, get_resource);
}

}  // namespace gateway::api::jupyter
