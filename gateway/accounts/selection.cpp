#include "gateway/accounts/selection.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway::accounts {
namespace {

constexpr std::size_t most_named = 20;

std::string shown(const account& of) { return of.alias.empty() ? of.id : fmt::format("{} ({})", of.id, of.alias); }

std::string names(const std::vector<account>& from) {
    std::string made;
    for (std::size_t at = 0; at < from.size() && at < most_named; ++at) made += (at ? ", " : "") + shown(from[at]);
    return from.size() > most_named ? made + ", …" : made;
}

std::string lower(std::string text) {
    auto lowered = [](char letter) { return 'A' <= letter && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; };
    std::transform(text.begin(), text.end(), text.begin(), lowered);
    return text;
}

failure none(const account_scope& whose, const std::string& toolkit, bool pinned) {
    if (pinned && whose.pinned.at(toolkit).empty())
        return {errc::no_account,
                fmt::format("this session lets in no account for {}: its connected_accounts has none", toolkit)};
    if (pinned)
        return {errc::no_account,
                fmt::format("the accounts that this session pins for {} are not there any more, or are "
                            "another user's",
                            toolkit)};
    return {
        errc::no_account,
        fmt::format("user {} has no connected account for {}: add one with POST /api/v1/accounts or `cellgate accounts "
                    "add`",
                    whose.user_id, toolkit)};
}

}  // namespace

std::vector<account> candidates(const std::vector<account>& all, const account_scope& whose,
                                const std::string& toolkit_name) {
    const auto toolkit = lower(toolkit_name);
    std::vector<account> made;
    for (const auto& each : all)
        if (each.user_id == whose.user_id && each.toolkit == toolkit) made.push_back(each);
    auto pins = whose.pinned.find(toolkit);
    if (pins == whose.pinned.end()) return made;
    const auto& order = pins->second;
    auto place = [&](const account& of) { return std::find(order.begin(), order.end(), of.id) - order.begin(); };
    std::erase_if(made, [&](const auto& each) { return place(each) == std::ssize(order); });
    std::stable_sort(made.begin(), made.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
    return made;
}

result<account> choose(const std::vector<account>& all, const account_scope& whose, const std::string& toolkit_name,
                       const std::string& wanted) {
    auto toolkit = lower(toolkit_name);
    bool pinned = whose.pinned.contains(toolkit);
    auto found = candidates(all, whose, toolkit);
    if (found.empty()) return none(whose, toolkit, pinned);
    if (!wanted.empty()) {
        auto is_other = [&](const account& each) { return each.id != wanted && each.alias != wanted; };
        auto others = found;
        std::erase_if(found, is_other);
        if (found.empty())
            return failure{errc::account_not_found, fmt::format("no connected account {} for {}; there is {}",
                                                                wanted.substr(0, 200), toolkit, names(others))};
        if (found.front().status == account_status::active) return found.front();
        return failure{errc::no_account, fmt::format("the connected account {} is disabled", shown(found.front()))};
    }
    auto disabled = found;
    std::erase_if(found, [](const account& each) { return each.status != account_status::active; });
    if (found.empty())
        return failure{errc::no_account,
                       fmt::format("every connected account for {} is disabled: {}", toolkit, names(disabled))};
    if (found.size() == 1 || pinned) return found.front();
    return failure{
        errc::invalid_request,
        fmt::format("there are several connected accounts for {}: say which by account: {}", toolkit, names(found))};
}

}  // namespace gateway::accounts
