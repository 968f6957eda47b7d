#include "gateway/files/link_signer.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "gateway/base/ids.hpp"
#include "gateway/base/mac.hpp"
#include "gateway/http/key_store.hpp"
#include "gateway/storage/secret_file.hpp"

namespace gateway::files {

result<link_signer> link_signer::open(const std::string& data_dir) {
    auto key = storage::keep_secret({data_dir + "/link.key", "the key of file links",
                                     "remove it, and a new one is made: links that were given out end"});
    if (!key) return key.error();
    return link_signer(std::move(*key));
}

link_signer link_signer::make() { return link_signer(random_hex(32)); }

// Each part with its length where it could be taken for another's.
std::string link_signer::sign(const link& of, std::string_view expires) const {
    const auto text = fmt::format("cellgate file link 1\n{}\n{}:{}\n{}\n{}", of.method, of.session_id.size(),
                                  of.session_id, expires, of.path);
    return mac_of(key_, text);
}

std::string link_signer::query_of(const link& of) const {
    const auto expires = std::to_string(std::chrono::system_clock::to_time_t(of.expires));
    return fmt::format("expires={}&signature={}", expires, sign(of, expires));
}

result<void> link_signer::check(link of, std::string_view expires, const std::string& signature) const {
    if (!http::equal_in_constant_time(sign(of, expires), signature))
        return failure{errc::link_refused,
                       "this link is not one that the gateway gave out for this method and path: use it "
                       "as it was given out, or ask for another"};
    long long seconds = 0;
    std::from_chars(expires.data(), expires.data() + expires.size(), seconds);
    of.expires = std::chrono::system_clock::from_time_t(static_cast<std::time_t>(seconds));
    if (std::chrono::system_clock::now() < of.expires) return {};
    return failure{errc::link_refused, "this link has expired: ask for another"};
}

}  // namespace gateway::files
