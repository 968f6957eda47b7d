#include "gateway/accounts/credential.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include "gateway/base/base64.hpp"

namespace gateway::accounts {
namespace {

constexpr std::string_view hidden = "(hidden)";
constexpr std::size_t least_form = 8;  // what is shorter is in many texts by chance
constexpr std::size_t least_word = 4;  // also as a word of its own
constexpr std::size_t least_secret = 6;

bool is_plain(char letter) {
    return ('a' <= letter && letter <= 'z') || ('A' <= letter && letter <= 'Z') || ('0' <= letter && letter <= '9') ||
           letter == '-' || letter == '.' || letter == '_' || letter == '~';
}

using edges = secret_finder::edges;

// As text, as hex, and as base64 of whatever it is a part of: "user:secret", "Bearer secret".
void add_forms(std::string_view secret, std::vector<secret_finder>& to) {
    for (const auto& each : {pattern_of(secret), hex_pattern_of(secret), base64_pattern_of(secret, 0),
                             base64_pattern_of(secret, 1), base64_pattern_of(secret, 2)})
        if (each.size() >= least_form) to.emplace_back(each, edges::any);
}

// A password may be short; what it is sent as is longer, and is hidden as a word of its own however short that is.
void add_basic_forms(const std::string& sent, std::vector<secret_finder>& to) {
    add_forms(sent, to);
    auto encoded = to_base64(sent);
    to.emplace_back(pattern_of("Basic " + encoded), edges::any);
    if (sent.size() >= least_form) return;
    if (sent.size() >= least_word) to.emplace_back(pattern_of(sent), edges::whole_words);
    while (encoded.ends_with('=')) encoded.pop_back();
    to.emplace_back(pattern_of(encoded), edges::whole_words);
}

std::vector<secret_finder> finders_of(const account& of, const std::string& secret) {
    std::vector<secret_finder> made;
    // What is longer comes first: a shorter one may be a part of it.
    if (of.scheme == auth_scheme::basic) add_basic_forms(of.username + ":" + secret, made);
    if (secret.size() >= least_secret) add_forms(secret, made);
    return made;
}

}  // namespace

std::string percent_encoded(std::string_view text) {
    std::string made;
    for (char letter : text)
        made += is_plain(letter) ? std::string(1, letter) : fmt::format("%{:02X}", static_cast<unsigned char>(letter));
    return made;
}

credential::credential(const account& of, const std::string& secret) : finders_(finders_of(of, secret)) {
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
}

void credential::add_to(outbound::request& what) const {
    if (!header_.empty()) what.fields.emplace_back(header_, value_);
    if (query_.empty()) return;
    what.to.target += (what.to.target.find('?') == std::string::npos ? "?" : "&") + query_;
}

void credential::hide_in(std::string& text) const {
    for (const auto& each : finders_) each.replace_in(text, hidden);
}

}  // namespace gateway::accounts
