#include "gateway/files/links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gateway/base/percent.hpp"
#include "gateway/http/host_check.hpp"

namespace gateway::files {

std::string links::base_at(const std::string& origin) const {
    const auto& url = rules_.public_url;
    if (url.empty()) return origin + rules_.base_url;
    return url.ends_with('/') ? url : url + "/";
}

result<std::string> links::base_for(const http::request& from) const {
    const auto host = from.header("host");
    if (rules_.public_url.empty() && !http::parse_host(host))
        return failure{errc::invalid_request,
                       "a link begins with the request's Host: send one, or set server.public_url"};
    return base_at(fmt::format("{}://{}", from.secure ? "https" : "http", host));
}

std::chrono::seconds links::default_life() const { return std::min(usual_life, rules_.longest_life); }

made_link links::make(const std::string& base, link_use use, const std::string& session_id,
                      const mounts::file_path& path, std::chrono::seconds life) const {
    made_link made;
    made.method = use == link_use::upload ? "PUT" : "GET";
    made.expires = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now() + life);
    const link signed_one{made.method, session_id, path.text(), made.expires};
    made.url = fmt::format("{}files/{}/{}?{}", base, session_id, percent_encode(path.text(), true),
                           signer_.query_of(signed_one));
    return made;
}

result<void> links::check(const http::request& from, const std::string& session_id,
                          const mounts::file_path& path) const {
    const auto method = from.method == "HEAD" ? std::string("GET") : from.method;
    link asked{method, session_id, path.text(), {}};
    return signer_.check(std::move(asked), from.find_query("expires").value_or(""),
                         from.find_query("signature").value_or(""));
}

}  // namespace gateway::files
