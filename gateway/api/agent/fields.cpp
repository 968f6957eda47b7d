#include "gateway/api/agent/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "gateway/api/agent/json_text.hpp"
#include "messaging/json_problem.hpp"

namespace gateway::api::agent {
namespace {

using nlohmann::json;

// A year: long enough for every deadline, short enough for every clock.
constexpr double most_seconds = 366.0 * 24 * 3600;

// Numbers, flags and the like.
constexpr std::size_t most_scalar_bytes = 128;
constexpr std::size_t most_unknown_names = 10;
// \u0000: what one byte of a string may take in JSON text.
constexpr std::size_t most_escape_bytes = 6;

}  // namespace

const std::string* fields::find(const char* name) {
    known_.push_back(name);
    auto found = object_.members.find(name);
    return found == object_.members.end() || found->second == "null" ? nullptr : &found->second;
}

std::optional<json> fields::take(const char* name, std::size_t most_bytes) {
    const auto* value = find(name);
    if (!value) return std::nullopt;
    if (value->size() > most_bytes) {
        refuse(fmt::format("{} has {} bytes; at most {} are taken", name, value->size(), most_bytes));
        return std::nullopt;
    }
    if (auto problem = messaging::json_problem(*value); !problem.empty()) {
        refuse(fmt::format("{} {}", name, problem));
        return std::nullopt;
    }
    return json::parse(*value, nullptr, false);
}

std::string fields::code() {
    if (object_.code) {
        known_.push_back("code");
        return std::move(*object_.code);
    }
    if (find("code"))
        refuse("code must be a string");
    else
        refuse("code is required, a string");
    return {};
}

std::optional<std::string> fields::text(const char* name, std::size_t most_bytes) {
    auto value = take(name, most_bytes * most_escape_bytes + 2);
    if (!value) return std::nullopt;
    if (!value->is_string()) {
        refuse(fmt::format("{} must be a string", name));
        return std::nullopt;
    }
    auto text = value->get<std::string>();
    if (text.size() > most_bytes)
        refuse(fmt::format("{} has {} bytes; at most {} are taken", name, text.size(), most_bytes));
    return text;
}

std::string fields::required_text(const char* name, std::size_t most_bytes) {
    auto value = text(name, most_bytes);
    if (!value) refuse(fmt::format("{} is required, a string", name));
    return value.value_or("");
}

std::optional<bool> fields::flag(const char* name) {
    auto value = take(name, most_scalar_bytes);
    if (!value) return std::nullopt;
    if (value->is_boolean()) return value->get<bool>();
    refuse(fmt::format("{} must be true or false", name));
    return std::nullopt;
}

std::optional<milliseconds> fields::seconds(const char* name) {
    auto value = take(name, most_scalar_bytes);
    if (!value) return std::nullopt;
    auto number = value->is_number() ? value->get<double>() : 0;
    if (number > 0 && number <= most_seconds) return milliseconds(std::max<long long>(1, std::llround(number * 1000)));
    refuse(fmt::format("{} must be a number of seconds over 0, at most {:.0f}", name, most_seconds));
    return std::nullopt;
}

std::optional<std::uint64_t> fields::number(const char* name, std::uint64_t most) {
    auto value = take(name, most_scalar_bytes);
    if (!value) return std::nullopt;
    if (value->is_number_unsigned() && value->get<std::uint64_t>() <= most) return value->get<std::uint64_t>();
    auto bound = most == std::uint64_t(-1) ? std::string("0 or more") : fmt::format("from 0 to {}", most);
    refuse(fmt::format("{} must be a whole number, {}", name, bound));
    return std::nullopt;
}

std::string fields::raw(const char* name, std::size_t most_bytes) {
    auto value = take(name, most_bytes);
    return value ? dump(*value) : std::string();
}

std::string fields::object(const char* name, std::size_t most_bytes) {
    auto value = take(name, most_bytes);
    if (value && !value->is_object()) refuse(fmt::format("{} must be an object", name));
    return value ? dump(*value) : std::string();
}

sessions::asked_settings fields::settings() { return {error_correction(), flag("install")}; }

std::optional<sessions::correction_mode> fields::error_correction() {
    auto value = take("error_correction", most_scalar_bytes);
    if (!value) return std::nullopt;
    auto mode = sessions::parse_correction_mode(dump(*value));
    if (!mode) refuse("error_correction must be true, false or \"report\"");
    return mode;
}

std::map<std::string, std::string> fields::texts(const char* name, std::size_t most_bytes) {
    std::map<std::string, std::string> all;
    auto value = take(name, most_bytes);
    if (!value) return all;
    if (!value->is_object()) {
        refuse(fmt::format("{} must be an object of strings", name));
        return all;
    }
    for (const auto& [key, each] : value->items()) {
        if (!each.is_string()) {
            refuse(fmt::format("{}.{} must be a string", name, shown(key)));
            continue;
        }
        all[key] = each.get<std::string>();
    }
    return all;
}

std::optional<std::vector<std::string>> fields::text_list(const char* name, std::size_t most_bytes) {
    auto value = take(name, most_bytes);
    if (!value) return std::nullopt;
    std::vector<std::string> all;
    for (const auto& each : value->is_array() ? *value : json::array({nullptr})) {
        if (!each.is_string()) {
            refuse(fmt::format("{} must be a list of strings", name));
            break;
        }
        all.push_back(each.get<std::string>());
    }
    return all;
}

fields::text_or_flag_value fields::text_or_flag(const char* name, std::size_t most_bytes) {
    text_or_flag_value made;
    auto value = take(name, most_bytes * most_escape_bytes + 2);
    if (!value) return made;
    if (value->is_boolean()) {
        made.flag = value->get<bool>();
    } else if (value->is_string()) {
        made.text = value->get<std::string>();
        if (made.text->size() > most_bytes)
            refuse(fmt::format("{} has {} bytes; at most {} are taken", name, made.text->size(), most_bytes));
    } else {
        refuse(fmt::format("{} must be a string, true or false", name));
    }
    return made;
}

bool fields::is_null(const char* name) const {
    auto found = object_.members.find(name);
    return found != object_.members.end() && found->second == "null";
}

void fields::refuse(std::string message) {
    if (!wrong_) wrong_ = failure{errc::invalid_request, std::move(message)};
}

bool fields::is_known(std::string_view name) const {
    return std::find(known_.begin(), known_.end(), name) != known_.end();
}

result<void> fields::finish() const {
    std::vector<std::string> unknown;
    std::size_t count = 0;
    for (const auto& [name, value] : object_.members)
        if (!is_known(name) && ++count <= most_unknown_names) unknown.push_back(shown(name));
    if (object_.code && !is_known("code") && ++count) unknown.emplace_back("code");
    if (count > 0) {
        auto names = known_.empty() ? std::string("none") : fmt::format("{}", fmt::join(known_, ", "));
        auto more = count > unknown.size() ? fmt::format(" and {} more", count - unknown.size()) : std::string();
        return failure{errc::unknown_field,
                       fmt::format("unknown field {}{}; known here: {}", fmt::join(unknown, ", "), more, names)};
    }
    if (wrong_) return *wrong_;
    return {};
}

}  // namespace gateway::api::agent
