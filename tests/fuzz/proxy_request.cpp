// Input: the body of a proxy_execute call; what it makes goes to an account, and an answer leads on to where it says.
#include <cstddef>
#include <cstdint>

#include "gateway/accounts/hop.hpp"
#include "gateway/accounts/request_headers.hpp"
#include "tests/fuzz/require.hpp"

using namespace gateway::accounts;

namespace {

account the_account() {
    account made;
    made.id = "ca_1";
    made.toolkit = "a";
    made.base_url = "https://api.example.com/v1";
    made.hosts = {"https://up.example.com"};
    made.scheme = auth_scheme::api_key;
    made.place = key_place::query;
    made.parameter = "key";
    return made;
}

bool is_own(const gateway::outbound::request& what) {
    auto origin = what.to.origin();
    return origin == "https://api.example.com" || origin == "https://up.example.com";
}

bool is_on_one_line(const gateway::outbound::request& what) {
    for (unsigned char letter : what.to.target)
        if (letter <= 0x20 || letter >= 0x7f) return false;
    return what.to.target.starts_with('/');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto of = the_account();
    proxy_request plain;
    plain.endpoint = std::string(input);
    if (auto made = first_hop(of, plain, {})) {
        require(is_own(made->what) && is_on_one_line(made->what));
        auto next = next_hop(of, *made, 302, input, {});
        require(!next || !*next || (is_own((*next)->what) && is_on_one_line((*next)->what)));
    }
    auto asked = parse_proxy_request(input);
    if (!asked) return 0;
    for (const auto& [name, value] : asked->headers)
        require(gateway::outbound::is_valid_header(name, value) && !is_reserved_header(name));
    require(!asked->body.empty() || asked->content_type.empty() || asked->method != "GET");
    auto made = first_hop(of, *asked, {});
    require(!made || (is_own(made->what) && is_on_one_line(made->what)));
    return 0;
}
