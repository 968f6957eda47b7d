#include "gateway/api/helpers/helper_call.hpp"

#include "gateway/base/log.hpp"
#include "gateway/http/router.hpp"

namespace gateway::api::helpers {

result<void> check_parameters(const helper_call& call, const std::string& known) {
    for (const auto& [name, value] : call.from.query)
        if (known.empty() || name != known)
            return failure{errc::unknown_field, "unknown parameter \"" + name.substr(0, 100) + "\": this call has " +
                                                    (known.empty() ? "none" : known)};
    return {};
}

http::response refuse(const http::request& from, const failure& why, int status) {
    auto made = http::error_response(why, http::error_style::agent, from.id, status);
    add_retry_after(made, why);
    return made;
}

http::response refuse(const helper_call& call, const failure& why, int status) {
    return refuse(call.from, why, status);
}

http::response refuse_logged(const helper_call& call, const failure& why, std::string_view deed) {
    log::info("session {} {}: {}, {}", call.session, deed, to_string(why.code), call.log_id);
    return refuse(call, why);
}

void add_retry_after(http::response& to, const failure& why) {
    if (why.retry_after.count() > 0) to.headers.emplace_back("Retry-After", std::to_string(why.retry_after.count()));
}

}  // namespace gateway::api::helpers
