#include "gateway/api/helpers/helper_call.hpp"

#include "gateway/http/router.hpp"

namespace gateway::api::helpers {

http::response refuse(const helper_call& call, const failure& why, int status) {
    return http::error_response(why, http::error_style::agent, call.from.id, status);
}

}  // namespace gateway::api::helpers
