// Links to sessions' files that need no key beside them: made here for those who may have them, and checked here when
// they are followed. GET, HEAD and PUT of BASE/files/SESSION/PATH?expires=…&signature=…. Owned by the server; io
// thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "gateway/files/link_signer.hpp"
#include "gateway/http/request.hpp"
#include "mounts/file_path.hpp"

namespace gateway::files {

struct link_rules {
    std::string public_url;                      // links begin with it; empty: as whoever asks reaches the gateway
    std::string base_url = "/";                  // begins and ends with "/"
    std::chrono::seconds longest_life{604'800};  // of a link
};

enum class link_use : std::uint8_t { download, upload };

// Whether the session is still there, and the file, is known when it is followed: call stat() before where a link to
// nothing should be refused. An upload link may be used again until it expires, and the last upload stays.
struct made_link {
    std::string url;
    std::string method;                             // "GET", "PUT"
    std::chrono::system_clock::time_point expires;  // whole seconds
};

class links {
  public:
    static constexpr std::chrono::seconds usual_life{3600};

    links(link_signer signer, link_rules rules) : signer_(std::move(signer)), rules_(std::move(rules)) {}

    // What links begin with, ending in "/": public_url, or the scheme and Host that this request came by.
    // invalid_request when that is no host.
    result<std::string> base_for(const http::request& from) const;
    // The same for those who do not come by the listener: helpers in kernels. `own_url` is the listener's.
    std::string base_for_helpers() const { return base_at(own_url_); }
    void set_own_url(std::string url) { own_url_ = std::move(url); }

    std::chrono::seconds longest_life() const { return rules_.longest_life; }
    // usual_life, unless that is over the longest.
    std::chrono::seconds default_life() const;

    // `life` is at most longest_life().
    made_link make(const std::string& base, link_use use, const std::string& session_id, const mounts::file_path& path,
                   std::chrono::seconds life) const;
    // link_refused when `from`, on the route of links, was not made by this gateway, or has expired.
    result<void> check(const http::request& from, const std::string& session_id, const mounts::file_path& path) const;

  private:
    std::string base_at(const std::string& origin) const;

    link_signer signer_;
    link_rules rules_;
    std::string own_url_;
};

}  // namespace gateway::files
