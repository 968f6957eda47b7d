// `cellgate accounts add|list|remove`: what they do and print. main parses the command line. One thread.
#pragma once

#include <iosfwd>
#include <string>

#include "gateway/accounts/store.hpp"

namespace gateway::accounts {

// The secret's one line, from a file or from standard input ("-"): never from the command line, which every user of the
// machine can read. invalid_request, io_error.
result<std::string> read_secret(const std::string& path, std::istream& standard_input);

// Each prints to `out`, or one line to `errors`, and returns the exit code: 0, 1 failed, 2 wrong use.
int add_account(account_store& store, account what, const std::string& secret_path, std::istream& in, std::ostream& out,
                std::ostream& errors);
// Without the secrets. `user`: empty for all.
int list_accounts(account_store& store, const std::string& user, std::ostream& out, std::ostream& errors);
int remove_account(account_store& store, const std::string& id, std::ostream& out, std::ostream& errors);

}  // namespace gateway::accounts
