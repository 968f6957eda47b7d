#include "gateway/accounts/pending_links.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <utility>

#include "gateway/outbound/url.hpp"

namespace gateway::accounts {
namespace {

constexpr std::size_t token_bytes = 32;
constexpr std::size_t most_callback = 2'000;

bool are_equal(const std::string& left, const std::string& right) {
    return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

result<outbound::url> parse_callback(const std::string& url) {
    return outbound::parse_url(std::string_view(url).substr(0, url.find('#')));
}

}  // namespace

result<void> check_callback(const std::string& url) {
    if (url.empty()) return {};
    auto refuse = [](const std::string& why) { return failure{errc::invalid_request, "callback_url: " + why}; };
    if (url.size() > most_callback) return refuse(fmt::format("it is longer than {} characters", most_callback));
    auto is_odd = [](unsigned char letter) { return letter <= ' ' || letter >= 0x7f; };
    if (std::any_of(url.begin(), url.end(), is_odd)) return refuse("write what is not visible ASCII as %XX");
    auto parsed = parse_callback(url);
    if (!parsed) return refuse(parsed.error().message);
    return {};
}

std::string callback_origin(const std::string& url) {
    auto parsed = parse_callback(url);
    return parsed ? parsed->origin() : "";
}

pending_links::pending_links(executor ex, account_store& store, link_rules rules,
                             std::function<wall_clock::time_point()> clock)
    : store_(store), rules_(std::move(rules)), clock_(std::move(clock)), changed_(std::move(ex)) {}

void pending_links::forget_old() {
    const auto oldest = clock_() - rules_.life;
    std::erase_if(links_, [&](const auto& each) { return each.expires <= oldest; });
}

// What the person could not put right later.
result<void> pending_links::check_new(const account& what) const {
    if (auto good = check_alias(what.alias); !good) return good;
    auto all = store_.list();
    if (!all) return all.error();
    const bool taken = !what.alias.empty() && std::any_of(all->begin(), all->end(), [&](const account& each) {
        return each.user_id == what.user_id && each.toolkit == what.toolkit && each.alias == what.alias;
    });
    if (taken)
        return failure{errc::name_taken, fmt::format("the user has an account {} for {} already: choose another alias",
                                                     what.alias, what.toolkit)};
    const auto waiting = std::count_if(links_.begin(), links_.end(), [&](const auto& each) {
        return each.what.user_id == what.user_id && !is_over(each);
    });
    if (static_cast<std::size_t>(waiting) < rules_.most_per_user) return {};
    return failure{errc::limit_reached,
                   fmt::format("{} links of user {} wait to be used, which is accounts.max_links_per_user: use one, or "
                               "wait until one expires",
                               waiting, what.user_id)};
}

result<pending_link> pending_links::begin(const account& service, link_request what) {
    forget_old();
    if (auto good = check_callback(what.callback_url); !good) return good.error();
    pending_link made;
    made.what = service;
    made.what.user_id = std::move(what.user_id);
    made.what.alias = std::move(what.alias);
    if (auto good = check_new(made.what); !good) return good.error();
    made.what.id = make_id("ca_");
    made.what.created_at = iso8601(clock_());
    made.session_id = std::move(what.session_id);
    made.callback_url = std::move(what.callback_url);
    made.is_anew = what.is_anew;
    made.token = random_hex(token_bytes);
    made.url = fmt::format("{}{}?link_token={}", what.page_url, made.what.id, made.token);
    made.expires = clock_() + rules_.life;
    links_.push_back(made);
    return made;
}

const pending_link* pending_links::find(const std::string& id) {
    forget_old();
    auto found = std::find_if(links_.begin(), links_.end(), [&](const auto& each) { return each.what.id == id; });
    return found == links_.end() ? nullptr : &*found;
}

const pending_link* pending_links::find_waiting(const std::string& session_id, const std::string& toolkit) {
    auto found = std::find_if(links_.rbegin(), links_.rend(), [&](const auto& each) {
        return each.session_id == session_id && each.what.toolkit == toolkit && !is_over(each);
    });
    return found == links_.rend() ? nullptr : &*found;
}

const pending_link* pending_links::follow(const std::string& id, const std::string& token) {
    const auto* found = find(id);
    return found && !is_over(*found) && are_equal(found->token, token) ? found : nullptr;
}

result<account> pending_links::finish(const std::string& id, const std::string& username, const std::string& secret) {
    const auto* found = find(id);
    if (!found || is_over(*found)) return failure{errc::not_found, "this link has been used, or has expired"};
    auto what = found->what;
    what.username = username;
    auto made = store_.add(std::move(what), secret);
    if (made) cancel(id);
    return made;
}

void pending_links::cancel(const std::string& id) {
    std::erase_if(links_, [&](const auto& each) { return each.what.id == id; });
    changed_.notify_all();
}

}  // namespace gateway::accounts
