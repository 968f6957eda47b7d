// Signs links to files, and checks them: HMAC-SHA256 over method, session, path and expiry with a key that only this
// gateway has, and keeps. Owned by the server; io thread.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "gateway/base/result.hpp"

namespace gateway::files {

struct link {
    std::string method;  // "GET", which stands for HEAD too, or "PUT"
    std::string session_id;
    std::string path;  // file_path::text()
    std::chrono::system_clock::time_point expires;
};

class link_signer {
  public:
    // The key is in DATA_DIR/link.key (0600), made when it is missing. io_error says what to do.
    static result<link_signer> open(const std::string& data_dir);
    // A key that nobody keeps.
    static link_signer make();

    // "expires=1790000000&signature=…"
    std::string query_of(const link& of) const;
    // link_refused: a signature of another link, or of none; one that has expired. `expires` and `signature` are the
    // query's.
    result<void> check(link of, std::string_view expires, const std::string& signature) const;

  private:
    explicit link_signer(std::string key) : key_(std::move(key)) {}
    std::string sign(const link& of, std::string_view expires) const;

    std::string key_;
};

}  // namespace gateway::files
