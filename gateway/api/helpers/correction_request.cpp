#include "gateway/api/helpers/correction_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "gateway/tools/json_text.hpp"
#include "messaging/utf8.hpp"

namespace gateway::api::helpers {
namespace {

using nlohmann::json;

// A correction is a place and two short texts.
constexpr std::size_t most_body_bytes = 64u << 10;
constexpr std::size_t most_parent_bytes = 500;
constexpr std::uint64_t most_number = 1'000'000'000;
constexpr std::array<std::string_view, 5> kinds = {"field_name", "envelope", "top_level_return", "fence",
                                                   "json_literal"};
constexpr std::array<const char*, 6> members = {"parent", "line", "column", "written", "used", "kind"};

failure refuse(std::string message) { return {errc::invalid_request, std::move(message)}; }

result<std::string> text_of(const json& body, const char* name) {
    auto found = body.find(name);
    if (found == body.end() || !found->is_string()) return refuse(fmt::format("{} must be a string", name));
    return found->get<std::string>();
}

result<std::uint64_t> number_of(const json& body, const char* name, std::uint64_t least) {
    auto found = body.find(name);
    if (found != body.end() && found->is_number_unsigned()) {
        auto number = found->get<std::uint64_t>();
        if (number >= least && number <= most_number) return number;
    }
    return refuse(fmt::format("{} must be a whole number from {} to {}", name, least, most_number));
}

std::string shortened(std::string text) {
    if (text.size() <= most_correction_text) return text;
    return std::string(messaging::first_bytes(text, most_correction_text)) + "…";
}

result<void> check_names(const json& body) {
    for (const auto& [name, value] : body.items())
        if (std::find(members.begin(), members.end(), name) == members.end())
            return failure{errc::unknown_field,
                           fmt::format("unknown field \"{}\": a correction has {}", messaging::first_bytes(name, 100),
                                       fmt::join(members, ", "))};
    return {};
}

result<std::string> parent_of(const json& body) {
    auto parent = text_of(body, "parent");
    if (parent && (parent->empty() || parent->size() > most_parent_bytes))
        return refuse("parent must be the msg_id of the cell's execute_request");
    return parent;
}

result<std::string> kind_of(const json& body) {
    auto kind = text_of(body, "kind");
    if (kind && std::find(kinds.begin(), kinds.end(), *kind) == kinds.end())
        return refuse(fmt::format("kind must be one of {}", fmt::join(kinds, ", ")));
    return kind;
}

}  // namespace

result<correction_request> parse_correction_request(std::string_view body) {
    if (body.size() > most_body_bytes)
        return failure{errc::too_large, fmt::format("a correction has at most {} bytes", most_body_bytes)};
    auto parsed = tools::parse_json(body);
    if (!parsed || !parsed->is_object())
        return refuse(fmt::format("the body must be a JSON object {{{}}}", fmt::join(members, ", ")));
    if (auto good = check_names(*parsed); !good) return good.error();
    auto parent = parent_of(*parsed);
    if (!parent) return parent.error();
    auto line = number_of(*parsed, "line", 1);
    if (!line) return line.error();
    auto column = number_of(*parsed, "column", 0);
    if (!column) return column.error();
    auto written = text_of(*parsed, "written");
    if (!written) return written.error();
    auto used = text_of(*parsed, "used");
    if (!used) return used.error();
    auto kind = kind_of(*parsed);
    if (!kind) return kind.error();
    return correction_request{
        std::move(*parent),
        {*line, *column, shortened(std::move(*written)), shortened(std::move(*used)), std::move(*kind)}};
}

}  // namespace gateway::api::helpers
