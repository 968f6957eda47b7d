// A key of the gateway's own, in a file that only its user can read. Any thread.
#pragma once

#include <string>

#include "gateway/base/result.hpp"

namespace gateway::storage {

// The 64 hex digits in `path`, which is made with new ones when it is missing. `of` says in errors what the key is
// for, and `loss` what ends with it. io_error says what to do.
result<std::string> keep_secret(const std::string& path, const std::string& of, const std::string& loss);

}  // namespace gateway::storage
