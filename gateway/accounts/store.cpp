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
    // What is sealed is overwritten when it goes, not only unlinked from its page.
    if (auto set = storage::execute(database->get(), "PRAGMA secure_delete = ON"); !set) return set.error();
    std::unique_ptr<account_store> made(new account_store(std::move(*database), std::move(key), rules));
    made->is_log_full_ = true;  // maybe of what a process removed that was killed
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
    empty_log();
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
result<void> account_store::read_key() {
    const bool is_needed = !rows_.empty();
    const storage::secret_file file{
        key_file_, "the key of the accounts' secrets",
        is_needed ? "bring it back, or remove the accounts and add them again" : "remove it, and a new one is made"};
    auto opened = is_needed ? storage::sealer::open(file) : storage::sealer::open_or_make(file);
    if (!opened) return opened.error();
    key_.reset();
    key_.emplace(std::move(*opened));
    return {};
}

result<void> account_store::check_key() { return rows_.empty() ? result<void>() : read_key(); }

// Tried again at the next change, or look at the accounts, as long as somebody who still reads holds it up.
void account_store::empty_log() {
    if (is_log_full_) is_log_full_ = !database_.empty_log();
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
    // As it is in the file now: what was sealed with one that is nowhere could never be opened.
    if (auto read = read_key(); !read) return read.error();
    return key_->seal(secret, bound_to(of));
}

result<std::string> account_store::opened(const row& from) const {
    return key_->open(from.sealed, bound_to(from.what));
}

// Nobody else changes anything until the change is done: what was checked is so.
result<storage::transaction> account_store::begin_change() {
    auto begun = storage::transaction::begin(database_.get());
    if (!begun) return begun;
    if (auto loaded = load(); !loaded) return loaded.error();
    return begun;
}

result<void> account_store::end_change(storage::transaction& writing) {
    if (auto done = writing.commit(); !done) return done;
    empty_log();
    return load();
}

result<account> account_store::add(account what, const std::string& secret) {
    auto made = checked(std::move(what), rules_);
    if (!made) return made;
    auto writing = begin_change();
    if (!writing) return writing.error();
    if (auto good = check_new(*made); !good) return good.error();
    if (made->id.empty()) made->id = make_id("ca_");
    made->created_at = iso8601(wall_clock::now());
    auto kept = sealed(*made, secret);
    if (!kept) return kept.error();
    auto inserted =
        storage::execute(database_.get(), "INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                         {made->id, made->user_id, made->toolkit, made->alias, made->base_url, json(made->hosts).dump(),
                          to_string(made->scheme), to_string(made->place), made->parameter, made->prefix,
                          made->username, to_string(made->status), made->created_at, *kept});
    if (!inserted) return inserted.error();
    if (auto done = end_change(*writing); !done) return done.error();
    return made;
}

result<account> account_store::change(const std::string& id, const account_change& what) {
    auto writing = begin_change();
    if (!writing) return writing.error();
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
    is_log_full_ = is_log_full_ || what.secret.has_value();
    if (auto done = end_change(*writing); !done) return done.error();
    return now;
}

result<account> account_store::remove(const std::string& id) {
    auto writing = begin_change();
    if (!writing) return writing.error();
    const auto* found = find_row(id);
    if (!found) return unknown(id);
    auto gone = found->what;
    auto removed = storage::execute(database_.get(), "DELETE FROM accounts WHERE id = ?", {id});
    if (!removed) return removed.error();
    is_log_full_ = true;
    if (auto done = end_change(*writing); !done) return done.error();
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
    if (!key_)
        if (auto read = read_key(); !read) return read.error();
    auto secret = opened(*found);
    if (secret) return secret;
    auto why = secret.error();
    auto kept = key_;
    if (read_key()) secret = opened(*found);  // accounts and key may have been made anew by another process
    if (secret) return secret;
    key_ = kept;  // which the others' secrets may need
    return failure{why.code,
                   fmt::format("the secret of account {} cannot be read: {}. Add the account again", id, why.message)};
}

}  // namespace gateway::accounts
