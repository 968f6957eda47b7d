#include "gateway/config/assembly.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace gateway::config {
namespace {

void store(const field& into, value given) {
    std::visit(
        [&](auto* place) {
            using type = std::remove_pointer_t<decltype(place)>;
            *place = std::get<type>(std::move(given));
        },
        into);
}

void make_paths_absolute(value& given, const origin& from) {
    if (auto* text = std::get_if<std::string>(&given)) *text = absolute_path(*text, from);
    if (auto* list = std::get_if<strings>(&given)) {
        for (auto& item : *list) item = absolute_path(item, from);
    }
}

}  // namespace

std::string absolute_path(const std::string& text, const origin& from) {
    if (text.empty()) return text;
    std::filesystem::path path = text;
    if ((text == "~" || text.rfind("~/", 0) == 0) && !from.home.empty()) path = from.home + text.substr(1);
    auto whole = (std::filesystem::path(from.base) / path).lexically_normal().string();
    if (whole.size() > 1 && whole.back() == '/') whole.pop_back();
    return whole;
}

void assembly::assign(const setting& what, value given, const origin& from) {
    auto place = what.at(values);
    if (const auto* whole = std::get_if<integer>(&given); whole && std::holds_alternative<decimal*>(place))
        given = static_cast<decimal>(*whole);
    if (given.index() != place.index()) return refuse(what, to_text(given), from.text);
    if (what.allowed.path) make_paths_absolute(given, from);
    if (!accepts(what, given)) return refuse(what, to_text(given), from.text);
    store(place, std::move(given));
    origins[std::string(what.key)] = from.text;
}

void assembly::assign_text(const setting& what, const std::string& text, const origin& from) {
    auto parsed = parse(text, what.at(values));
    if (!parsed) return refuse(what, to_text(text), from.text);
    assign(what, std::move(*parsed), from);
}

void assembly::refuse(std::string_view key, const std::string& shown, const std::string& where,
                      const std::string& must) {
    problems.push_back(fmt::format("{} = {} (from {}): must be {}", key, shown, where, must));
}

void assembly::refuse(const setting& what, const std::string& shown, const std::string& where) {
    refuse(what.key, what.secret ? "(hidden)" : shown, where, allowed_text(what));
}

void assembly::refuse_unknown(const std::string& name, const std::string& where,
                              const std::vector<std::string>& known) {
    auto near = nearest(name, known);
    auto hint = near.empty() ? "cellgate --help-config lists them all" : "did you mean " + near + "?";
    problems.push_back(fmt::format("{} (from {}): there is no such setting; {}", name, where, hint));
}

void assembly::refuse_combination(std::string_view key, const std::string& must) {
    auto found = origins.find(key);
    auto where = found == origins.end() ? "the default" : found->second;
    const auto* what = find_setting(key);
    refuse(key, what->secret ? "(hidden)" : to_text(read(what->at(values))), where, must);
}

}  // namespace gateway::config
