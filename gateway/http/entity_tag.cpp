#include "gateway/http/entity_tag.hpp"

#include "gateway/http/text.hpp"

namespace gateway::http {

std::string entity_tag(std::string_view version) { return "\"" + std::string(version) + "\""; }

std::optional<tag_list> parse_tags(std::string_view header) {
    tag_list all;
    auto rest = trim(header);
    all.any = rest == "*";
    if (all.any) return all;
    while (!rest.empty()) {
        const bool is_weak = rest.substr(0, 3) == "W/\"";
        if (is_weak) rest.remove_prefix(2);
        const bool is_quoted = rest.front() == '"';
        if (is_quoted) rest.remove_prefix(1);
        const auto end = rest.find(is_quoted ? '"' : ',');
        if (is_quoted && end == rest.npos) return std::nullopt;
        const auto tag = trim(rest.substr(0, end));
        if (!is_quoted && (tag.empty() || tag.find_first_of("\"* ") != tag.npos)) return std::nullopt;
        (is_weak ? all.weak : all.strong).emplace_back(tag);
        rest = end == rest.npos ? std::string_view() : trim(rest.substr(is_quoted ? end + 1 : end));
        if (rest.empty()) break;
        if (rest.front() != ',') return std::nullopt;
        rest = trim(rest.substr(1));
    }
    if (all.weak.empty() && all.strong.empty()) return std::nullopt;
    return all;
}

}  // namespace gateway::http
