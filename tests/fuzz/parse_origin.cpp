// Input: a Host header and an Origin header, a line break between them.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gateway/http/origin.hpp"
#include "gateway/http/text.hpp"
#include "tests/fuzz/require.hpp"

using namespace gateway::http;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view input(reinterpret_cast<const char*>(data), size);
    auto end = std::min(input.find('\n'), input.size());
    auto host = parse_host(input.substr(0, end));
    auto from = parse_origin(input.substr(std::min(end + 1, input.size())));
    if (host) {
        require(!host->host.empty() && host->host.find_first_of(" /@,[]") == std::string::npos);
        require(to_lower(host->host) == host->host);
        auto bracketed = host->host.find(':') == std::string::npos ? host->host : "[" + host->host + "]";
        require(parse_host(host->port.empty() ? bracketed : bracketed + ":" + host->port) == host);
        if (is_loopback_address(host->host)) require(is_local_host(*host, {}));
    }
    if (host && from && is_same_origin(*from, *host)) require(from->where.host == host->host);
    return 0;
}
