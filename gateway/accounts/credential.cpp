#include "gateway/accounts/credential.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>

#include "gateway/accounts/base64.hpp"
#include "messaging/json_string.hpp"

namespace gateway::accounts {
namespace {

constexpr std::string_view hidden = "(hidden)";
constexpr std::size_t least_form = 8;  // what is shorter is in many texts by chance

bool is_plain(char letter) {
    return ('a' <= letter && letter <= 'z') || ('A' <= letter && letter <= 'Z') || ('0' <= letter && letter <= '9') ||
           letter == '-' || letter == '.' || letter == '_' || letter == '~';
}

// As text, in a URL, in JSON, and as it stands in the header.
std::vector<std::string> forms_of(const account& of, const std::string& secret) {
    auto quoted = messaging::quote(secret);
    std::vector<std::string> made{secret, percent_encoded(secret), quoted.substr(1, quoted.size() - 2)};
    made.push_back(to_base64(of.scheme == auth_scheme::basic ? of.username + ":" + secret : secret));
    std::erase_if(made, [](const auto& each) { return each.size() < least_form; });
    // The longest first: a shorter one may be its beginning.
    std::sort(made.begin(), made.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
    made.erase(std::unique(made.begin(), made.end()), made.end());
    return made;
}

}  // namespace

std::string percent_encoded(std::string_view text) {
    std::string made;
    for (char letter : text)
        made += is_plain(letter) ? std::string(1, letter) : fmt::format("%{:02X}", static_cast<unsigned char>(letter));
    return made;
}

credential::credential(const account& of, const std::string& secret) : forms_(forms_of(of, secret)) {
    if (of.scheme == auth_scheme::api_key && of.place == key_place::query) {
        query_ = percent_encoded(of.parameter) + "=" + percent_encoded(secret);
        return;
    }
    header_ = of.scheme == auth_scheme::api_key ? of.parameter : "authorization";
    if (of.scheme == auth_scheme::api_key) value_ = of.prefix + secret;
    if (of.scheme == auth_scheme::bearer) value_ = "Bearer " + secret;
    if (of.scheme == auth_scheme::basic) value_ = "Basic " + to_base64(of.username + ":" + secret);
}

credential::~credential() {
    for (auto* each : {&value_, &query_}) OPENSSL_cleanse(each->data(), each->size());
    for (auto& each : forms_) OPENSSL_cleanse(each.data(), each.size());
}

void credential::add_to(outbound::request& what) const {
    if (!header_.empty()) what.fields.emplace_back(header_, value_);
    if (query_.empty()) return;
    what.to.target += (what.to.target.find('?') == std::string::npos ? "?" : "&") + query_;
}

bool credential::is_in(std::string_view text) const {
    return std::any_of(forms_.begin(), forms_.end(),
                       [&](const auto& each) { return text.find(each) != std::string_view::npos; });
}

void credential::hide_in(std::string& text) const {
    if (!is_in(text)) return;
    for (const auto& each : forms_) {
        std::string made;
        std::size_t from = 0;
        for (auto at = text.find(each); at != std::string::npos; at = text.find(each, from)) {
            made.append(text, from, at - from).append(hidden);
            from = at + each.size();
        }
        if (from != 0) text = made.append(text, from);
    }
}

}  // namespace gateway::accounts
