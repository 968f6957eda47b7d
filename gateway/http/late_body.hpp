// A body that is not there yet when its headers go out: a space now and then keeps the client from timing out, which a
// reader of JSON passes over. io thread.
#pragma once

#include <functional>
#include <string>

#include "gateway/base/result.hpp"
#include "gateway/http/request.hpp"

namespace gateway::http {

// Waits for the rest of the body. It is cancelled and asked anew for each space; any failure but timeout ends the wait.
using late_finder = std::function<awaitable<result<body_source>>()>;

// `tell` makes the body of a failure: the status has gone out by then.
body_source make_late_body(late_finder find, std::function<std::string(const failure&)> tell, milliseconds every);

}  // namespace gateway::http
