// GET /metrics. Only for admin keys: it tells of every user's kernels. Prometheus sends a key with `authorization`.
#include <prometheus/text_serializer.h>

#include "gateway/api/jupyter/metrics.hpp"

namespace gateway::api::jupyter {
namespace {

awaitable<http::response> get_metrics(context& with, http::request&) {
    http::response answer;
    answer.content_type = "text/plain; version=0.0.4; charset=utf-8";
    answer.body = prometheus::TextSerializer().Serialize(collect_metrics(with));
    co_return answer;
}

}  // namespace

void add_metrics_routes(http::router& routes, const std::shared_ptr<context>& with) {
    add_route(routes, with, "GET", "/metrics", http::scope::admin, get_metrics);
}

}  // namespace gateway::api::jupyter
