// The fields of a request's JSON object, taken one by one: a wrong value or a name that nobody asked for is refused, so
// that a typo is never silently ignored. null is as good as absent. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/api/agent/request_object.hpp"
#include "gateway/base/async.hpp"
#include "gateway/base/result.hpp"
#include "gateway/sessions/cell_settings.hpp"

namespace gateway::api::agent {

// What free-form values may have, as JSON text; docs/api.md lists them.
inline constexpr std::size_t most_value_bytes = 64u << 10;

class fields {
  public:
    // `object` outlives this; code() empties its code.
    explicit fields(request_object& object) : object_(object) {}

    std::string code();  // required
    std::optional<std::string> text(const char* name, std::size_t most_bytes = most_value_bytes);
    std::string required_text(const char* name, std::size_t most_bytes = most_value_bytes);
    std::optional<bool> flag(const char* name);
    bool flag(const char* name, bool otherwise) { return flag(name).value_or(otherwise); }
    std::optional<milliseconds> seconds(const char* name);  // over 0, fractions allowed
    std::optional<std::uint64_t> number(const char* name, std::uint64_t most = std::uint64_t(-1));
    // Any value, as JSON text; empty when absent.
    std::string raw(const char* name, std::size_t most_bytes = most_value_bytes);
    std::string object(const char* name, std::size_t most_bytes = most_value_bytes);     // an object, in the same way
    std::optional<sessions::correction_mode> error_correction();                         // true, false or "report"
    sessions::asked_settings settings();                                                 // error_correction, install
    std::map<std::string, std::string> texts(const char* name, std::size_t most_bytes);  // an object of strings

    // A list of strings.
    std::optional<std::vector<std::string>> text_list(const char* name, std::size_t most_bytes);
    struct text_or_flag_value {
        std::optional<std::string> text;
        std::optional<bool> flag;
    };
    text_or_flag_value text_or_flag(const char* name, std::size_t most_bytes);
    // Whether it is there and null, which means something else than that it is absent.
    bool is_null(const char* name) const;

    // Says why a value that was taken is wrong.
    void refuse(std::string message);
    // unknown_field with all unknown names, or the first wrong value.
    result<void> finish() const;

  private:
    // The value's JSON text, noted as known; null when it is absent or null.
    const std::string* find(const char* name);
    // The value; absent when there is none, or it is refused: over `most_bytes` of JSON text, or none that can be kept.
    std::optional<nlohmann::json> take(const char* name, std::size_t most_bytes);

    bool is_known(std::string_view name) const;

    request_object& object_;
    std::vector<std::string_view> known_;
    std::optional<failure> wrong_;
};

}  // namespace gateway::api::agent
