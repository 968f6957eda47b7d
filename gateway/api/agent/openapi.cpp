// GET /api/v1/openapi.json: the hand-written description in openapi.json, compiled in. Open to all: it holds no secret.
#include "gateway/api/agent/context.hpp"
#include "gateway/api/agent/openapi_document.hpp"

namespace gateway::api::agent {
namespace {

awaitable<http::response> get_openapi(context&, http::request& from) {
    auto good = check_query(from, {});
    if (!good) co_return refuse(good.error(), from);
    co_return http::json_response(std::string(openapi_document));
}

}  // namespace

void add_openapi_route(http::router& routes, const std::shared_ptr<context>& with) {
    add_route(routes, with, "GET", "/api/v1/openapi.json", http::scope::none, get_openapi);
}

}  // namespace gateway::api::agent
