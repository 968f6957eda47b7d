#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "gateway/config/table.hpp"

namespace gateway::config {
namespace {

std::string range_text(const rule& allowed) {
    constexpr auto unlimited = std::numeric_limits<integer>::max();
    if (allowed.most == unlimited) return fmt::format("{} or more", allowed.least);
    return fmt::format("from {} to {}", allowed.least, allowed.most);
}

std::string choices_text(const std::vector<std::string_view>& choices) {
    std::string out;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (i > 0) out += i + 1 == choices.size() ? " or " : ", ";
        out += fmt::format("\"{}\"", choices[i]);
    }
    return out;
}

template <class Number>
bool in_range(const rule& allowed, Number number) {
    return static_cast<Number>(allowed.least) <= number && number <= static_cast<Number>(allowed.most);
}

bool text_allowed(const rule& allowed, const std::string& text) {
    const auto& choices = allowed.choices;
    if (!choices.empty()) return std::find(choices.begin(), choices.end(), text) != choices.end();
    return allowed.accepts == nullptr || allowed.accepts(text);
}

struct checker {
    const rule& allowed;
    bool operator()(bool) const { return true; }
    bool operator()(integer number) const { return in_range(allowed, number); }
    bool operator()(decimal number) const { return in_range(allowed, number); }
    bool operator()(const std::string& text) const { return text_allowed(allowed, text); }
    bool operator()(const strings& list) const {
        return std::all_of(list.begin(), list.end(), [&](const auto& item) { return text_allowed(allowed, item); });
    }
    bool operator()(const counts& table) const {
        return std::all_of(table.begin(), table.end(),
                           [&](const auto& entry) { return in_range(allowed, entry.second); });
    }
};

// Levenshtein's distance.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            auto substituted = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({substituted, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

}  // namespace

const setting* find_setting(std::string_view key) {
    auto found = std::find_if(settings().begin(), settings().end(), [&](const setting& one) { return one.key == key; });
    return found == settings().end() ? nullptr : &*found;
}

std::string environment_name(std::string_view key) {
    std::string name = "CELLGATE_";
    for (char c : key) name += c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return name;
}

std::string allowed_text(const setting& what) {
    config any;
    auto place = what.at(any);
    const auto& allowed = what.allowed;
    if (std::holds_alternative<bool*>(place)) return "true or false";
    if (std::holds_alternative<integer*>(place)) return "an integer " + range_text(allowed);
    if (std::holds_alternative<decimal*>(place)) return "a number " + range_text(allowed);
    if (std::holds_alternative<counts*>(place)) return "NAME = COUNT, each count " + range_text(allowed);
    if (!allowed.choices.empty()) return choices_text(allowed.choices);
    bool list = std::holds_alternative<strings*>(place);
    if (allowed.text.empty()) return list ? "a list of texts" : "a text";
    return list ? fmt::format("a list, each {}", allowed.text) : std::string(allowed.text);
}

bool accepts(const setting& what, const value& candidate) { return std::visit(checker{what.allowed}, candidate); }

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(2, word.size() / 4) + 1;
    for (const auto& candidate : known) {
        auto found = distance(word, candidate);
        if (found < best_distance) {
            best = candidate;
            best_distance = found;
        }
    }
    return best;
}

}  // namespace gateway::config
