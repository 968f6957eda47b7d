#include "gateway/api/agent/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "messaging/json_scanner.hpp"

namespace gateway::api::agent {
namespace {

using nlohmann::json;

// A year: long enough for every deadline, short enough for every clock.
constexpr double most_seconds = 366.0 * 24 * 3600;

}  // namespace

result<json> parse_body(const std::string& body) {
    using boost::system::in_place_value;
    if (body.empty()) return result<json>(in_place_value, json::object());
    // The scanner also bounds the nesting, which the document's own writer would follow by recursion.
    auto parsed = messaging::is_json(body) ? json::parse(body, nullptr, false) : json(json::value_t::discarded);
    if (parsed.is_discarded()) return failure{errc::invalid_request, "the body is not JSON in UTF-8"};
    if (!parsed.is_object()) return failure{errc::invalid_request, "the body must be a JSON object"};
    return result<json>(in_place_value, std::move(parsed));
}

const json* fields::take(const char* name) {
    known_.push_back(name);
    auto found = object_.find(name);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::string> fields::text(const char* name, std::size_t most_bytes) {
    const auto* value = take(name);
    if (!value) return std::nullopt;
    if (!value->is_string()) {
        refuse(fmt::format("{} must be a string", name));
        return std::nullopt;
    }
    auto text = value->get<std::string>();
    if (text.size() > most_bytes) refuse(fmt::format("{} is longer than {} bytes", name, most_bytes));
    return text;
}

std::string fields::required_text(const char* name) {
    auto value = text(name);
    if (!value) refuse(fmt::format("{} is required, a string", name));
    return value.value_or("");
}

bool fields::flag(const char* name, bool otherwise) {
    const auto* value = take(name);
    if (!value) return otherwise;
    if (value->is_boolean()) return value->get<bool>();
    refuse(fmt::format("{} must be true or false", name));
    return otherwise;
}

std::optional<milliseconds> fields::seconds(const char* name) {
    const auto* value = take(name);
    if (!value) return std::nullopt;
    auto number = value->is_number() ? value->get<double>() : 0;
    if (number > 0 && number <= most_seconds) return milliseconds(std::max<long long>(1, std::llround(number * 1000)));
    refuse(fmt::format("{} must be a number of seconds over 0, at most {:.0f}", name, most_seconds));
    return std::nullopt;
}

std::optional<std::uint64_t> fields::number(const char* name, std::uint64_t most) {
    const auto* value = take(name);
    if (!value) return std::nullopt;
    if (value->is_number_unsigned() && value->get<std::uint64_t>() <= most) return value->get<std::uint64_t>();
    auto bound = most == std::uint64_t(-1) ? std::string("0 or more") : fmt::format("from 0 to {}", most);
    refuse(fmt::format("{} must be a whole number, {}", name, bound));
    return std::nullopt;
}

std::string fields::raw(const char* name) {
    const auto* value = take(name);
    return value ? value->dump() : std::string();
}

std::string fields::object(const char* name) {
    const auto* value = take(name);
    if (value && !value->is_object()) refuse(fmt::format("{} must be an object", name));
    return value ? value->dump() : std::string();
}

std::string fields::error_correction(const char* name) {
    const auto* value = take(name);
    if (value && !value->is_boolean() && *value != "report")
        refuse(fmt::format("{} must be true, false or \"report\"", name));
    return value ? value->dump() : std::string();
}

std::map<std::string, std::string> fields::texts(const char* name) {
    std::map<std::string, std::string> all;
    const auto* value = take(name);
    if (!value) return all;
    if (!value->is_object()) {
        refuse(fmt::format("{} must be an object of strings", name));
        return all;
    }
    for (const auto& [key, each] : value->items()) {
        if (!each.is_string()) {
            refuse(fmt::format("{}.{} must be a string", name, key));
            continue;
        }
        all[key] = each.get<std::string>();
    }
    return all;
}

void fields::refuse(std::string message) {
    if (!wrong_) wrong_ = failure{errc::invalid_request, std::move(message)};
}

result<void> fields::finish() const {
    std::vector<std::string> unknown;
    for (const auto& [name, value] : object_.items())
        if (std::find(known_.begin(), known_.end(), name) == known_.end()) unknown.push_back(name);
    if (!unknown.empty()) {
        auto names = known_.empty() ? std::string("none") : fmt::format("{}", fmt::join(known_, ", "));
        return failure{errc::unknown_field,
                       fmt::format("unknown field {}; known here: {}", fmt::join(unknown, ", "), names)};
    }
    if (wrong_) return *wrong_;
    return {};
}

}  // namespace gateway::api::agent
