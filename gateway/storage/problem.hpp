// What went wrong with the database, and what to do about it. Pure.
#pragma once

#include <string>

#include "gateway/base/result.hpp"

namespace gateway::storage {

// `code` is an SQLite result code, an extended one too.
failure describe(const std::string& path, int code, const std::string& what);

}  // namespace gateway::storage
