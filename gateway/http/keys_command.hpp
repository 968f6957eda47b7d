// `cellgate keys add|list|revoke`: what they do and print. main parses the command line. One thread.
#pragma once

#include <iosfwd>
#include <string>

#include "gateway/http/key_store.hpp"

namespace gateway::http {

// Each prints to `out`, or one line to `errors`, and returns the exit code: 0, 1 failed, 2 wrong use.
int add_key(key_store& store, const std::string& name, const std::string& user_id, const std::string& scope_name,
            std::ostream& out, std::ostream& errors);
int list_keys(const key_store& store, std::ostream& out, std::ostream& errors);
int revoke_key(key_store& store, const std::string& id_or_name, std::ostream& out, std::ostream& errors);

}  // namespace gateway::http
