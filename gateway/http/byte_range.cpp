#include "gateway/http/byte_range.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "gateway/http/text.hpp"

namespace gateway::http {
namespace {

// A number that is too large for us is larger than every file.
std::optional<std::uint64_t> read_number(std::string_view text) {
    std::uint64_t value = 0;
    const auto* end = text.data() + text.size();
    auto [at, ec] = std::from_chars(text.data(), end, value);
    if (at != end || text.empty() || ec == std::errc::invalid_argument) return std::nullopt;
    return ec == std::errc::result_out_of_range ? std::numeric_limits<std::uint64_t>::max() : value;
}

}  // namespace

byte_range read_range(std::string_view header, std::uint64_t size) {
    const byte_range whole{range_kind::whole, 0, size};
    const auto equals = header.find('=');
    if (equals == header.npos || !equals_ignoring_case(trim(header.substr(0, equals)), "bytes")) return whole;
    const auto text = trim(header.substr(equals + 1));
    const auto dash = text.find('-');
    if (dash == text.npos || text.find(',') != text.npos) return whole;
    const auto first = read_number(text.substr(0, dash)), last = read_number(text.substr(dash + 1));
    if ((!first && dash != 0) || (!last && dash + 1 != text.size()) || (!first && !last)) return whole;
    if (first && last && *last < *first) return whole;
    const byte_range none{range_kind::unsatisfiable, 0, 0};
    if (!first)
        return *last == 0 || size == 0
                   ? none
                   : byte_range{range_kind::part, size - std::min(size, *last), std::min(size, *last)};
    if (*first >= size) return none;
    return {range_kind::part, *first, std::min(last.value_or(size - 1), size - 1) - *first + 1};
}

}  // namespace gateway::http
