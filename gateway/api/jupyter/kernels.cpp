// /api/kernels and what is below it, but for the channels.
#include "gateway/api/jupyter/context.hpp"
#include "gateway/api/jupyter/kernel_access.hpp"
#include "gateway/api/jupyter/kernel_json.hpp"

namespace gateway::api::jupyter {
namespace {

awaitable<http::response> list_kernels(context& with, http::request& from) {
    if (!with.options.listing)
        co_return refuse({errc::forbidden, "listing kernels is switched off (kernels.listing = false)"}, from);
    co_return http::json_response(kernel_models(visible_kernels(with, from.caller)));
}

awaitable<http::response> create_kernel(context& with, http::request& from) {
    auto asked = parse_kernel_request(from.body, with.options.client_env);
    if (!asked) co_return refuse(asked.error(), from);
    auto started = co_await start_kernel(with, from.caller, std::move(*asked));
    if (!started) co_return refuse(started.error(), from);
    auto answer = http::json_response(kernel_model(*started), 201);
    answer.headers.emplace_back("Location", with.options.base_url + "api/kernels/" + started->kernel_id());
    co_return answer;
}

awaitable<http::response> get_kernel(context& with, http::request& from) {
    auto found = find_kernel(with, from.caller, from.parameters.at(0));
    if (!found) co_return refuse(found.error(), from);
    co_return http::json_response(kernel_model(*found));
}

awaitable<http::response> delete_kernel(context& with, http::request& from) {
    auto found = find_kernel(with, from.caller, from.parameters.at(0));
    if (!found) co_return refuse(found.error(), from);
    auto ended = co_await end_kernel(with, from.caller, *found);
    if (!ended) co_return refuse(ended.error(), from);
    co_return http::empty_response();
}

awaitable<http::response> interrupt_kernel(context& with, http::request& from) {
    auto found = find_kernel(with, from.caller, from.parameters.at(0));
    if (!found) co_return refuse(found.error(), from);
    auto interrupted = co_await found->owner->interrupt();
    if (!interrupted) co_return refuse(interrupted.error(), from);
    co_return http::empty_response();
}

awaitable<http::response> restart_kernel(context& with, http::request& from) {
    auto found = find_kernel(with, from.caller, from.parameters.at(0));
    if (!found) co_return refuse(found.error(), from);
    auto restarted = co_await found->owner->restart();
    if (!restarted) co_return refuse(restarted.error(), from);
    co_return http::json_response(kernel_model(*found));
}

}  // namespace

void add_kernel_routes(http::router& routes, const std::shared_ptr<context>& with) {
    using http::scope;
    add_route(routes, with, "GET", "/api/kernels", scope::execute, list_kernels);
    add_route(routes, with, "POST", "/api/kernels", scope::execute, create_kernel);
    add_route(routes, with, "GET", "/api/kernels/{}", scope::execute, get_kernel);
    add_route(routes, with, "DELETE", "/api/kernels/{}", scope::execute, delete_kernel);
    add_route(routes, with, "POST", "/api/kernels/{}/interrupt", scope::execute, interrupt_kernel);
    add_route(routes, with, "POST", "/api/kernels/{}/restart", scope::execute, restart_kernel);
}

}  // namespace gateway::api::jupyter
