// POST /v1/proxy {toolkit_slug, endpoint, method, parameters?, body?, binary_body?, account?} -> {"status", "data"?,
// "headers", "binary_data"?}: a call of a service with a connected account of the session's user, from a cell.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <string>

#include "gateway/accounts/proxy.hpp"
#include "gateway/api/helpers/endpoint.hpp"

namespace gateway::api::helpers {

struct account_rights {
    bool allowed = true;  // false: the session was made with proxy execution off
    accounts::account_scope whose;
};
using account_rights_finder = std::function<account_rights(const std::string& session)>;

// `with`, and `pool`, which takes large bodies apart, outlive the endpoint.
void add_proxy_route(endpoint& to, accounts::proxy& with, asio::thread_pool& pool, account_rights_finder find_rights,
                     meter_finder find_meters);

}  // namespace gateway::api::helpers
