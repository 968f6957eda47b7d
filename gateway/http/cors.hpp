// Pages of other origins: who is let in, and the Access-Control headers that tell the browser. Owned by the server.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/base/result.hpp"
#include "gateway/http/request.hpp"

namespace gateway::http {

struct server_options;

enum class origin_verdict {
    absent,   // no Origin header: not a browser, or a page's own plain GET
    same,     // the page came from this gateway
    allowed,  // allow_origin or allow_origin_pattern says so
    foreign,
};

using header_list = std::vector<std::pair<std::string, std::string>>;

class cors {
  public:
    // invalid_request when allow_origin_pattern is no regular expression. `options` outlives the object.
    static result<cors> make(const server_options& options);
    cors(cors&&) noexcept;
    ~cors();

    origin_verdict judge(const request& what) const;
    // For any answer. `admitted` says that a foreign origin was let in by its key.
    header_list headers(const request& what, origin_verdict verdict, bool admitted) const;
    // More for the answer to OPTIONS.
    header_list preflight_headers(const request& what, origin_verdict verdict, std::string_view methods) const;
    bool has_rules() const;

  private:
    struct pattern;
    explicit cors(const server_options& options);
    bool is_allowed(const std::string& origin) const;

    const server_options* options_;
    std::unique_ptr<pattern> pattern_;
};

}  // namespace gateway::http
