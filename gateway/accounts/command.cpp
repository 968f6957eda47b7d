#include "gateway/accounts/command.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iostream>

namespace gateway::accounts {
namespace {

constexpr std::size_t most_line = 10'000;

int fail(const failure& why, std::ostream& errors) {
    errors << "cellgate accounts: " << why.message << "\n";
    return why.code == errc::invalid_request ? 2 : 1;
}

result<std::string> first_line(std::istream& from, const std::string& what) {
    std::string line;
    for (char letter; from.get(letter) && letter != '\n' && line.size() <= most_line;) line += letter;
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) return line;
    return failure{errc::invalid_request, fmt::format("{} has no secret on its first line", what)};
}

std::string how(const account& of) {
    if (of.scheme == auth_scheme::basic) return fmt::format("basic as {}", of.username);
    if (of.scheme == auth_scheme::bearer) return "bearer";
    return fmt::format("api_key in {} {}", to_string(of.place), of.parameter);
}

}  // namespace

result<std::string> read_secret(const std::string& path, std::istream& standard_input) {
    if (path == "-") return first_line(standard_input, "standard input");
    std::ifstream file(path);
    if (!file) return failure{errc::io_error, fmt::format("{} cannot be read", path)};
    return first_line(file, path);
}

int add_account(account_store& store, account what, const std::string& secret_path, std::istream& in, std::ostream& out,
                std::ostream& errors) {
    auto secret = read_secret(secret_path, in);
    if (!secret) return fail(secret.error(), errors);
    auto made = store.add(std::move(what), *secret);
    if (!made) return fail(made.error(), errors);
    errors << fmt::format("user {} may call {} through it:\n", made->user_id, fmt::join(origins(*made), ", "));
    out << made->id << "\n";
    return 0;
}

int list_accounts(account_store& store, const std::string& user, std::ostream& out, std::ostream& errors) {
    auto all = store.list();
    if (!all) return fail(all.error(), errors);
    for (const auto& each : *all) {
        if (!user.empty() && each.user_id != user) continue;
        out << fmt::format("{}  user {}  {}{}  {}  {}  {}  made {}\n", each.id, each.user_id, each.toolkit,
                           each.alias.empty() ? "" : " (" + each.alias + ")", each.base_url, how(each),
                           to_string(each.status), each.created_at);
    }
    return 0;
}

int remove_account(account_store& store, const std::string& id, std::ostream& out, std::ostream& errors) {
    auto gone = store.remove(id);
    if (!gone) return fail(gone.error(), errors);
    out << fmt::format("{} of user {} for {} is removed\n", gone->id, gone->user_id, gone->toolkit);
    return 0;
}

}  // namespace gateway::accounts
