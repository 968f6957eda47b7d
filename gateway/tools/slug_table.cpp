#include "gateway/tools/slug_table.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gateway::tools {
namespace {

char upper(char letter) { return 'a' <= letter && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter; }

bool is_slug_char(char letter) { return ('A' <= letter && letter <= 'Z') || ('0' <= letter && letter <= '9'); }

// Levenshtein's.
std::size_t distance(std::string_view left, std::string_view right) {
    std::vector<std::size_t> row(right.size() + 1);
    std::iota(row.begin(), row.end(), 0u);
    for (std::size_t i = 0; i < left.size(); ++i) {
        auto diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < right.size(); ++j) {
            auto replaced = diagonal + (left[i] == right[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

// Smaller is closer. A slug that holds the other one is close whatever their lengths.
std::size_t unlikeness(std::string_view asked, std::string_view known) {
    if (known.find(asked) != std::string_view::npos || asked.find(known) != std::string_view::npos) return 1;
    return distance(asked, known);
}

}  // namespace

std::string slug_part(std::string_view name) {
    std::string made;
    for (char letter : name) made += is_slug_char(upper(letter)) ? upper(letter) : '_';
    return made;
}

std::string normalized_slug(std::string_view slug) {
    auto first = slug.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return "";
    auto last = slug.find_last_not_of(" \t\r\n");
    std::string made(slug.substr(first, last - first + 1));
    std::transform(made.begin(), made.end(), made.begin(), upper);
    return made;
}

std::vector<std::string> slug_table::replace(const std::string& toolkit, std::vector<tool> tools) {
    auto known = tools_.find(toolkit);
    if (known != tools_.end() && known->second == tools) return {};
    tools_[toolkit] = std::move(tools);
    entries_.clear();
    std::vector<std::string> notes;
    for (const auto& [name, list] : tools_) {
        for (const auto& each : list) {
            auto wanted = slug_part(name) + "_" + slug_part(each.name);
            auto slug = wanted;
            for (int count = 2; entries_.count(slug) != 0; ++count) slug = wanted + "_" + std::to_string(count);
            if (slug != wanted)
                notes.push_back("tool " + each.name + " of " + name + " is " + slug + ": " + wanted + " is taken");
            entries_.emplace(slug, entry{name, each});
        }
    }
    return notes;
}

const slug_table::entry* slug_table::find(const std::string& slug) const {
    auto found = entries_.find(slug);
    return found == entries_.end() ? nullptr : &found->second;
}

std::vector<std::string> slug_table::close_matches(const std::string& slug, std::size_t count) const {
    constexpr std::size_t longest_compared = 200;  // the distance costs length times length
    if (slug.empty() || slug.size() > longest_compared) return {};
    std::vector<std::pair<std::size_t, std::string>> ranked;
    for (const auto& [known, unused] : entries_) {
        auto rank = unlikeness(slug, std::string_view(known).substr(0, longest_compared));
        if (rank <= std::max<std::size_t>(2, slug.size() / 4)) ranked.emplace_back(rank, known);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<std::string> made;
    for (std::size_t at = 0; at < ranked.size() && at < count; ++at) made.push_back(ranked[at].second);
    return made;
}

}  // namespace gateway::tools
