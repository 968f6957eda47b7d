#include "gateway/api/helpers/helper_call.hpp"

#include "gateway/http/router.hpp"

namespace gateway::api::helpers {

http::response refuse(const helper_call& call, const failure& why, int status) {
    auto made = http::error_response(why, http::error_style::agent, call.from.id, status);
    add_retry_after(made, why);
    return made;
}

void add_retry_after(http::response& to, const failure& why) {
    if (why.retry_after.count() > 0) to.headers.emplace_back("Retry-After", std::to_string(why.retry_after.count()));
}

}  // namespace gateway::api::helpers
