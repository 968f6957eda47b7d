#include "gateway/api/helpers/session_route.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/base/ids.hpp"
#include "gateway/http/router.hpp"
#include "gateway/tools/json_text.hpp"

namespace gateway::api::helpers {
namespace {

using nlohmann::json;

json seconds(milliseconds duration) { return static_cast<double>(duration.count()) / 1000; }
json seconds(const std::optional<milliseconds>& duration) { return duration ? seconds(*duration) : json(nullptr); }

// null where there is no limit.
json or_null(std::int64_t limit, json shown) { return limit > 0 ? shown : json(nullptr); }

json object_of(const sessions::session& from) {
    const auto& options = from.options();
    const auto& model = from.meters()->model;
    return {{"id", from.id()},
            {"name", from.name()},
            {"user_id", options.user_id},
            {"state", to_string(from.state())},
            {"kernel", from.spec().name},
            {"created_at", iso8601(from.created_at())},
            {"last_activity", iso8601(from.last_activity())},
            {"cell_timeout_s", seconds(from.cell_timeout())},
            {"idle_timeout_s", seconds(options.idle_timeout)},
            {"lifetime_s", seconds(options.lifetime)},
            {"sandbox",
             {{"enable", from.has_sandbox()},
              {"sandbox_size", from.size().name},
              {"cpus", or_null(from.size().cpu_millis, static_cast<double>(from.size().cpu_millis) / 1000)},
              {"memory_bytes", or_null(from.size().memory_bytes, from.size().memory_bytes)}}},
            {"restarts", from.restarts()},
            {"connections", {{"jupyter", from.connections()}, {"agents", from.agent_sockets()}}},
            {"tokens",
             {{"prompt", model.tokens().prompt}, {"completion", model.tokens().completion}, {"calls", model.calls()}}},
            {"searches", from.meters()->search.calls()}};
}

awaitable<http::response> show(helper_call call, sessions::registry& registry) {
    if (auto good = check_parameters(call); !good) co_return refuse(call, good.error());
    auto found = registry.find(call.session);
    if (!found) co_return refuse(call, {errc::session_not_found, "the session has ended"});
    co_return http::json_response(tools::to_text(object_of(*found)));
}

}  // namespace

void add_session_route(endpoint& to, sessions::registry& registry) {
    to.add("GET", "/v1/session", [&registry](helper_call call) { return show(std::move(call), registry); });
}

}  // namespace gateway::api::helpers
