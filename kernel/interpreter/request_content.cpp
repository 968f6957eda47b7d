#include "kernel/interpreter/request_content.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

namespace kernel {
namespace {

using json = nlohmann::json;

bool is_string(const json& value) { return value.is_string(); }
bool is_flag(const json& value) { return value.is_boolean(); }
bool is_object(const json& value) { return value.is_object(); }

bool is_number(const json& value) {
    if (value.is_number_unsigned()) return value.get<std::uint64_t>() <= std::numeric_limits<int>::max();
    return value.is_number_integer() && value.get<std::int64_t>() >= std::numeric_limits<int>::min();
}

struct kind {
    bool (*accepts)(const json&);
    const char* name;
};

constexpr kind string{is_string, "a string"};
constexpr kind flag{is_flag, "true or false"};
constexpr kind number{is_number, "a whole number of at most 32 bits"};
constexpr kind object{is_object, "an object"};

struct field {
    const char* name;
    kind expected;
};

const std::vector<field>& fields_of(std::string_view request_type) {
    static const std::map<std::string_view, std::vector<field>> all = {
        {"execute_request",
         {{"code", string},
          {"silent", flag},
          {"store_history", flag},
          {"user_expressions", object},
          {"allow_stdin", flag},
          {"stop_on_error", flag}}},
        {"complete_request", {{"code", string}, {"cursor_pos", number}}},
        {"inspect_request", {{"code", string}, {"cursor_pos", number}, {"detail_level", number}}},
        {"is_complete_request", {{"code", string}}},
        {"history_request",
         {{"hist_access_type", string},
          {"output", flag},
          {"raw", flag},
          {"session", number},
          {"start", number},
          {"stop", number},
          {"n", number},
          {"pattern", string},
          {"unique", flag}}}};
    static const std::vector<field> none;
    auto found = all.find(request_type);
    return found == all.end() ? none : found->second;
}

}  // namespace

std::string refine_content(std::string_view request_type, json& content) {
    if (!content.is_object()) return "the content of " + std::string(request_type) + " must be a JSON object";
    for (const auto& [name, expected] : fields_of(request_type)) {
        auto found = content.find(name);
        if (found == content.end()) continue;
        if (found->is_null())
            content.erase(found);
        else if (!expected.accepts(*found))
            return "\"" + std::string(name) + "\" of " + std::string(request_type) + " must be " + expected.name;
    }
    return {};
}

}  // namespace kernel
