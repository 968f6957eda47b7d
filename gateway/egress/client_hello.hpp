// The first message of a TLS client (RFC 8446, section 4.1.2), read as far as it says which server is meant, from bytes
// in pieces of any size. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/egress/denial.hpp"
#include "gateway/egress/policy.hpp"

namespace gateway::egress {

struct client_hello {
    std::optional<std::string> server_name;  // as it was sent
    bool encrypted = false;                  // an ECH or ESNI extension, also one that is only for show (GREASE)
};

class hello_reader {
  public:
    enum class state : std::uint8_t { more, done, not_tls, malformed };

    // `max_bytes`: of the records; a longer ClientHello is malformed.
    explicit hello_reader(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    // The next bytes; what follows the record that ends the ClientHello is not looked at.
    state feed(std::string_view bytes);
    // Once it is done.
    const client_hello& hello() const { return hello_; }

  private:
    state take_record_header();
    state take_payload(std::string_view& bytes);
    bool is_complete() const;

    std::size_t max_bytes_;
    std::size_t seen_ = 0;
    std::string record_header_;
    std::size_t record_left_ = 0;
    std::string message_;
    state state_ = state::more;
    client_hello hello_;
};

// Nothing when a connection to `to` may begin so. The name must be that of CONNECT; for an address there must be none.
// Mode allow refuses what hides the name; in mode all, where every host is allowed, it is not compared then.
std::optional<denial> judge(const client_hello& hello, const destination& to, network_mode mode);

}  // namespace gateway::egress
