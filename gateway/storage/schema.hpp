// The tables of the gateway's database, version by version: the one place that says what they are.
#pragma once

#include "gateway/base/result.hpp"

struct sqlite3;

namespace gateway::storage {

// Runs what is missing of the versions, each as a whole or not at all. io_error when a newer Cellgate made the
// database.
result<void> bring_to_newest(sqlite3* database);
int newest_version();

}  // namespace gateway::storage
