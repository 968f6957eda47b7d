#include "gateway/accounts/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/base/ids.hpp"
#include "gateway/storage/statement.hpp"

namespace gateway::accounts {
namespace {

using nlohmann::json;

constexpr const char* columns =
    "SELECT id, user_id, toolkit, alias, base_url, hosts, scheme, place, parameter, prefix, username, status, "
    "created_at, secret FROM accounts ORDER BY created_at, id";

// What a secret is bound to: whoever changes in the database where it goes, or whose it is, makes it unreadable.
std::string bound_to(const account& of) {
    json made = {"cellgate account 1", of.id,     of.user_id,           of.toolkit,
                 of.base_url,          of.hosts,  to_string(of.scheme), to_string(of.place),
                 of.parameter,         of.prefix, of.username};
    return made.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<std::string> read_hosts(const std::string& text) {
    std::vector<std::string> made;
    auto parsed = json::parse(text, nullptr, false);
    if (!parsed.is_array()) return made;
    for (const auto& each : parsed)
        if (each.is_string()) made.push_back(each.get<std::string>());
    return made;
}

// A word that is unknown, because someone else wrote it, becomes the default: the secret is bound to another then.
account read_account(const storage::statement& from) {
    account made;
    made.id = from.text(0);
    made.user_id = from.text(1);
    made.toolkit = from.text(2);
    made.alias = from.text(3);
    made.base_url = from.text(4);
    made.hosts = read_hosts(from.text(5));
    made.scheme = find_scheme(from.text(6)).value_or(auth_scheme::bearer);
    made.place = find_place(from.text(7)).value_or(key_place::header);
    made.parameter = from.text(8);
    made.prefix = from.text(9);
    made.username = from.text(10);
    made.status = find_status(from.text(11)).value_or(account_status::disabled);
    made.created_at = from.text(12);
    return made;
}

failure unknown(const std::string& id) {
    return {errc::account_not_found, fmt::format("there is no connected account {}", id.substr(0, 100))};
}

}  // namespace

account_store::account_store(storage::database database, std::string key_file, account_rules rules)
    : database_(std::move(database)), key_file_(std::move(key_file)), rules_(rules) {}

result<std::unique_ptr<account_store>> account_store::open(const std::string& data_dir, const std::string& key_file,
                                                           account_rules rules) {
    auto database = storage::database::open(data_dir);
    if (!database) return database.error();
    auto key = key_file.empty() ? data_dir + "/accounts.key" : key_file;
    std::unique_ptr<account_store> made(new account_store(std::move(*database), std::move(key), rules));
    if (auto read = made->refresh(); !read) return read.error();
    return made;
}

result<void> account_store::load() {
    std::vector<row> now;
    storage::statement each(database_.get(), columns);
    while (true) {
        auto more = each.step();
        if (!more) return more.error();
        if (!*more) break;
        now.push_back({read_account(each), each.text(13)});
    }
    rows_ = std::move(now);
    return {};
}

result<void> account_store::refresh() {
    storage::statement version(database_.get(), "PRAGMA data_version");  // counts what other connections have committed
    auto row = version.step();
    if (!row) return row.error();
    auto now = version.integer(0);
    if (now == data_version_) return {};
    if (auto loaded = load(); !loaded) return loaded;
    data_version_ = now;
    return {};
}

// A key is never made anew while secrets exist that it could not open.
result<const storage::sealer*> account_store::key() {
    if (key_) return &*key_;
    const bool is_needed = !rows_.empty();
    const storage::secret_file file{
        key_file_, "the key of the accounts' secrets",
        is_needed ? "bring it back, or remove the accounts and add them again" : "remove it, and a new one is made"};
    auto opened = is_needed ? storage::sealer::open(file) : storage::sealer::open_or_make(file);
    if (!opened) return opened.error();
    key_.emplace(std::move(*opened));
    return &*key_;
}

result<void> account_store::check_key() {
    if (rows_.empty()) return {};
    auto found = key();
    if (!found) return found.error();
    return {};
}

const account_store::row* account_store::find_row(const std::string& id) const {
    auto found = std::find_if(rows_.begin(), rows_.end(), [&](const auto& each) { return each.what.id == id; });
    return found == rows_.end() ? nullptr : &*found;
}

result<void> account_store::check_new(const account& what) const {
    std::size_t count = 0;
    for (const auto& [each, sealed] : rows_) {
        if (each.user_id != what.user_id || each.id == what.id) continue;
        ++count;
        if (!what.alias.empty() && each.alias == what.alias && each.toolkit == what.toolkit)
            return failure{errc::name_taken,
                           fmt::format("the user has an account {} for {} already ({}): choose another alias",
                                       what.alias, what.toolkit, each.id)};
    }
    if (count < most_per_user) return {};
    return failure{errc::limit_reached, fmt::format("a user has at most {} accounts: remove one first", most_per_user)};
}

result<std::string> account_store::sealed(const account& of, const std::string& secret) {
    if (auto good = check_secret(of, secret); !good) return good.error();
    auto with = key();
    if (!with) return with.error();
    return (*with)->seal(secret, bound_to(of));
}

result<account> account_store::add(account what, const std::string& secret) {
    if (auto read = refresh(); !read) return read.error();
    auto made = checked(std::move(what), rules_);
    if (!made) return made;
    if (auto good = check_new(*made); !good) return good.error();
    made->id = make_id("ca_");
    made->created_at = iso8601(wall_clock::now());
    auto kept = sealed(*made, secret);
    if (!kept) return kept.error();
    auto inserted =
        storage::execute(database_.get(), "INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                         {made->id, made->user_id, made->toolkit, made->alias, made->base_url, json(made->hosts).dump(),
                          to_string(made->scheme), to_string(made->place), made->parameter, made->prefix,
                          made->username, to_string(made->status), made->created_at, *kept});
    if (!inserted) return inserted.error();
    if (auto loaded = load(); !loaded) return loaded.error();
    return made;
}

result<account> account_store::change(const std::string& id, const account_change& what) {
    if (auto read = refresh(); !read) return read.error();
    const auto* found = find_row(id);
    if (!found) return unknown(id);
    auto [now, kept] = *found;
    now.alias = what.alias.value_or(now.alias);
    now.status = what.status.value_or(now.status);
    if (auto good = check_alias(now.alias); !good) return good.error();
    if (auto good = check_new(now); !good) return good.error();
    if (what.secret) {
        auto fresh = sealed(now, *what.secret);
        if (!fresh) return fresh.error();
        kept = *fresh;
    }
    auto changed =
        storage::execute(database_.get(), "UPDATE accounts SET alias = ?, status = ?, secret = ? WHERE id = ?",
                         {now.alias, to_string(now.status), kept, id});
    if (!changed) return changed.error();
    if (auto loaded = load(); !loaded) return loaded.error();
    return now;
}

result<account> account_store::remove(const std::string& id) {
    if (auto read = refresh(); !read) return read.error();
    const auto* found = find_row(id);
    if (!found) return unknown(id);
    auto gone = found->what;
    // What was sealed is overwritten, not only unlinked from its page.
    auto zeroed = storage::execute(database_.get(), "PRAGMA secure_delete = ON");
    if (!zeroed) return zeroed.error();
    auto removed = storage::execute(database_.get(), "DELETE FROM accounts WHERE id = ?", {id});
    if (!removed) return removed.error();
    if (auto loaded = load(); !loaded) return loaded.error();
    return gone;
}

result<std::vector<account>> account_store::list() {
    if (auto read = refresh(); !read) return read.error();
    std::vector<account> made;
    for (const auto& each : rows_) made.push_back(each.what);
    return made;
}

result<account> account_store::find(const std::string& id) {
    if (auto read = refresh(); !read) return read.error();
    const auto* found = find_row(id);
    if (!found) return unknown(id);
    return found->what;
}

result<std::string> account_store::secret_of(const std::string& id) {
    if (auto read = refresh(); !read) return read.error();
    const auto* found = find_row(id);
    if (!found) return unknown(id);
    auto with = key();
    if (!with) return with.error();
    auto opened = (*with)->open(found->sealed, bound_to(found->what));
    if (opened) return opened;
    return failure{
        opened.error().code,
        fmt::format("the secret of account {} cannot be read: {}. Add the account again", id, opened.error().message)};
}

}  // namespace gateway::accounts
