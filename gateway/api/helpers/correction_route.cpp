#include "gateway/api/helpers/correction_route.hpp"

#include <utility>

#include "gateway/api/helpers/correction_request.hpp"
#include "gateway/http/router.hpp"

namespace gateway::api::helpers {
namespace {

// The limit is one on what is told, not on what a user may have.
constexpr int too_many = 429;

awaitable<http::response> correct(helper_call call, sessions::registry& all) {
    auto asked = parse_correction_request(call.from.body);
    if (!asked) co_return refuse(call, asked.error());
    auto session = all.find(call.session);
    if (!session) co_return refuse(call, {errc::session_not_found, "the session has ended"});
    auto told = session->correct(asked->parent, std::move(asked->what));
    if (told) co_return http::json_response("{}");
    co_return refuse(call, told.error(), told.error().code == errc::limit_reached ? too_many : 0);
}

}  // namespace

void add_correction_route(endpoint& to, sessions::registry& all) {
    to.add("POST", "/v1/corrections", [&all](helper_call call) { return correct(std::move(call), all); });
}

}  // namespace gateway::api::helpers
