#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "messaging/json_scanner.hpp"
#include "messaging/message.hpp"
#include "messaging/utf8.hpp"
#include "tests/fuzz/require.hpp"

using namespace messaging;

namespace {

// Where they overlap, the scanner and an unrelated parser must agree. They differ by design over lone surrogates,
// ill-formed UTF-8 and depth; and nlohmann refuses numbers that no double holds, skips a byte order mark, and takes
// NUL for the end.
bool is_comparable(std::string_view text) {
    bool odd_string = text.find("\\u") != std::string_view::npos || !is_utf8(text);
    bool huge_number = text.find_first_of("eE") != std::string_view::npos || text.size() > 300;
    bool nlohmanns_own = text.starts_with("\xEF\xBB\xBF") || text.find('\0') != std::string_view::npos;
    return !odd_string && !huge_number && !nlohmanns_own;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    if (is_comparable(text)) require(is_json(text) == nlohmann::json::accept(text));
    auto fields = parse_header(text);
    if (!fields) return 0;
    require(is_json(text));
    for (const auto* field : {&fields->msg_id, &fields->msg_type, &fields->session, &fields->subshell_id})
        require(is_utf8(*field));
    auto header = make_header(fields->msg_type, fields->session, fields->msg_id, fields->subshell_id);
    auto again = parse_header(header);
    require(header.size() > 64 * 1024 || (again && again->session == fields->session));
    return 0;
}
