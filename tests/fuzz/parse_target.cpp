// Input: a request target as it stands in the request line.
#include <cstddef>
#include <cstdint>

#include "gateway/base/percent.hpp"
#include "gateway/http/target.hpp"
#include "gateway/http/text.hpp"
#include "tests/fuzz/require.hpp"

using namespace gateway::http;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view input(reinterpret_cast<const char*>(data), size);
    auto target = parse_target(input);
    if (!target) return 0;
    require(target->path.starts_with('/'));
    for (const auto& [name, value] : target->query) require(is_utf8(name) && is_utf8(value));
    auto path = decode_path(target->path);
    if (!path) return 0;
    require(path->starts_with('/') && is_utf8(*path));
    require(("/" + *path + "/").find("/../") == std::string::npos);
    require(percent_decode(gateway::percent_encode(*path, true)).value() == *path);
    if (auto inside = strip_base_url(target->path, "/base")) require(inside->empty() || inside->starts_with('/'));
    return 0;
}
