// /api/sessions: notebook paths and the kernels they use.
#include <fmt/format.h>

#include "gateway/api/jupyter/context.hpp"
#include "gateway/api/jupyter/kernel_access.hpp"
#include "gateway/api/jupyter/kernel_json.hpp"
#include "gateway/api/jupyter/notebook_session_json.hpp"

namespace gateway::api::jupyter {
namespace {

result<notebook_session> find_row(context& with, const http::request& from) {
    const auto& id = from.parameters.at(0);
    const auto* found = with.notebooks.find(id);
    if (found && from.caller.sees(found->user_id)) return *found;
    return failure{errc::not_found, "there is no notebook session " + id};
}

// A row whose kernel is gone goes with it.
result<std::string> model_of(context& with, const http::request& from, const notebook_session& row) {
    auto kernel = find_kernel(with, from.caller, row.kernel_id);
    if (kernel) return session_model(row, kernel_model(*kernel));
    with.notebooks.remove(row.id);
    return kernel.error();
}

http::response answer_row(context& with, const http::request& from, const notebook_session& row, int status) {
    auto model = model_of(with, from, row);
    if (!model) return refuse(model.error(), from);
    return http::json_response(std::move(*model), status);
}

awaitable<http::response> list_rows(context& with, http::request& from) {
    if (!with.options.listing)
        co_return refuse({errc::forbidden, "listing sessions is switched off (kernels.listing = false)"}, from);
    std::string models;
    for (const auto& row : with.notebooks.list()) {
        if (!from.caller.sees(row.user_id)) continue;
        auto model = model_of(with, from, row);
        if (model) models += (models.empty() ? "" : ",") + *model;
    }
    co_return http::json_response("[" + models + "]");
}

// The directory of an API path: kernels start where their notebook is.
std::string directory_of(const std::string& path) {
    auto slash = path.rfind('/');
    return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

awaitable<result<sessions::kernel_entry>> kernel_for(context& with, const http::request& from,
                                                     const notebook_session_request& asked, const std::string& path) {
    if (!asked.kernel) co_return find_kernel(with, from.caller, asked.kernel_id);
    auto kernel = *asked.kernel;
    if (kernel.working_dir.empty()) kernel.working_dir = directory_of(path);
    kernel.env[notebook_path_variable] = path;  // ipykernel: __session__, where history and debuggers show the notebook
    co_return co_await start_kernel(with, from.caller, std::move(kernel));
}

std::optional<notebook_session> find_live_row(context& with, const http::request& from,
                                              const notebook_session_request& asked) {
    const auto* row = with.notebooks.find_path(from.caller.user_id, *asked.path, *asked.type);
    if (row && find_kernel(with, from.caller, row->kernel_id)) return *row;
    if (row) with.notebooks.remove(std::string(row->id));
    return std::nullopt;
}

awaitable<http::response> create_row(context& with, http::request& from) {
    auto asked = parse_new_session(from.body, with.options.client_env);
    if (!asked) co_return refuse(asked.error(), from);
    if (auto existing = find_live_row(with, from, *asked)) co_return answer_row(with, from, *existing, 201);
    auto kernel = co_await kernel_for(with, from, *asked, *asked->path);
    if (!kernel) co_return refuse(kernel.error(), from);
    notebook_session row;
    row.user_id = from.caller.user_id;
    row.path = *asked->path;
    row.name = asked->name.value_or("");
    row.type = *asked->type;
    row.kernel_id = kernel->kernel_id();
    const auto added = with.notebooks.add(std::move(row));
    auto answer = answer_row(with, from, added, 201);
    answer.headers.emplace_back("Location", with.options.base_url + "api/sessions/" + added.id);
    co_return answer;
}

awaitable<http::response> get_row(context& with, http::request& from) {
    auto row = find_row(with, from);
    if (!row) co_return refuse(row.error(), from);
    co_return answer_row(with, from, *row, 200);
}

// As jupyter_server does: a notebook that changes its kernel ends the one that it had. What may not be ended is left.
awaitable<void> end_previous(context& with, http::principal caller, std::string kernel_id) {
    auto previous = find_kernel(with, caller, kernel_id);
    if (previous) (void)co_await end_kernel(with, caller, *previous);
}

awaitable<http::response> change_row(context& with, http::request& from) {
    auto found = find_row(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto asked = parse_session_change(from.body, with.options.client_env);
    if (!asked) co_return refuse(asked.error(), from);
    notebook_session row = *found;
    row.path = asked->path.value_or(row.path);
    row.name = asked->name.value_or(row.name);
    row.type = asked->type.value_or(row.type);
    if (asked->kernel || !asked->kernel_id.empty()) {
        auto kernel = co_await kernel_for(with, from, *asked, row.path);
        if (!kernel) co_return refuse(kernel.error(), from);
        row.kernel_id = kernel->kernel_id();
    }
    with.notebooks.update(row);
    if (row.kernel_id != found->kernel_id) co_await end_previous(with, from.caller, found->kernel_id);
    co_return answer_row(with, from, row, 200);
}

// 410 is what jupyter_server answers when the kernel was deleted and its session was not.
http::response answer_kernel_gone(const failure& why, const http::request& from) {
    return http::error_response(why, http::error_style::jupyter, from.id, 410);
}

awaitable<http::response> delete_row(context& with, http::request& from) {
    auto row = find_row(with, from);
    if (!row) co_return refuse(row.error(), from);
    auto kernel = find_kernel(with, from.caller, row->kernel_id);
    if (!kernel) {
        with.notebooks.remove(row->id);
        co_return answer_kernel_gone(kernel.error(), from);
    }
    bool is_agents = !kernel->through && kernel->owner->options().made_by == sessions::origin::agent;
    if (!is_agents) {
        auto ended = co_await end_kernel(with, from.caller, *kernel);
        if (!ended) co_return refuse(ended.error(), from);
    }
    with.notebooks.remove(row->id);
    co_return http::empty_response();
}

}  // namespace

void add_notebook_session_routes(http::router& routes, const std::shared_ptr<context>& with) {
    using http::scope;
    add_route(routes, with, "GET", "/api/sessions", scope::execute, list_rows);
    add_route(routes, with, "POST", "/api/sessions", scope::execute, create_row);
    add_route(routes, with, "GET", "/api/sessions/{}", scope::execute, get_row);
    add_route(routes, with, "PATCH", "/api/sessions/{}", scope::execute, change_row);
    add_route(routes, with, "DELETE", "/api/sessions/{}", scope::execute, delete_row);
}

}  // namespace gateway::api::jupyter
