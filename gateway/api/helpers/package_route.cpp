#include "gateway/api/helpers/package_route.hpp"

#include <utility>

#include "gateway/api/helpers/package_request.hpp"
#include "gateway/base/log.hpp"
#include "gateway/http/router.hpp"
#include "gateway/kernels/session_python.hpp"

namespace gateway::api::helpers {
namespace {

std::vector<sessions::installed_package> to_records(const packages::package_outcome& from) {
    std::vector<sessions::installed_package> made;
    for (const auto& each : from.installed) made.push_back({each.name, each.version, each.module});
    return made;
}

awaitable<http::response> install(helper_call call, sessions::registry& all, packages::installer& installer) {
    auto asked = parse_package_call(call.from.body);
    if (!asked) co_return refuse(call, asked.error());
    auto session = all.find(call.session);
    if (!session) co_return refuse(call, {errc::session_not_found, "the session has ended"});
    auto python = kernels::python_of(session->spec());
    if (python.empty())
        co_return refuse(call, {errc::unavailable, "this session's kernel has no Python to install for"});
    const bool by_module = !asked->wanted.front().module.empty();
    packages::package_request wanted{call.session, std::move(python), session->packages_directory(),
                                     std::move(asked->wanted), asked->upgrade};
    auto outcome = co_await installer.install(std::move(wanted));
    for (const auto& each : outcome.installed)
        log::info("session {} has {} {} now", call.session, each.name, each.version);
    session->record_installed(asked->parent, to_records(outcome));
    co_return http::json_response(package_answer(outcome, by_module));
}

}  // namespace

void add_package_route(endpoint& to, sessions::registry& all, packages::installer& installer) {
    to.add("POST", "/v1/packages",
           [&all, &installer](helper_call call) { return install(std::move(call), all, installer); });
}

}  // namespace gateway::api::helpers
