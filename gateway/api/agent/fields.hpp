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

#include "gateway/base/async.hpp"
#include "gateway/base/result.hpp"

namespace gateway::api::agent {

// The object in a request's body; an empty body is an empty object. invalid_request otherwise.
result<nlohmann::json> parse_body(const std::string& body);

class fields {
  public:
    // `object` is one, and outlives this.
    explicit fields(const nlohmann::json& object) : object_(object) {}

    std::optional<std::string> text(const char* name, std::size_t most_bytes = std::size_t(-1));
    std::string required_text(const char* name);
    bool flag(const char* name, bool otherwise);
    std::optional<milliseconds> seconds(const char* name);  // over 0, fractions allowed
    std::optional<std::uint64_t> number(const char* name, std::uint64_t most = std::uint64_t(-1));
    std::string raw(const char* name);               // any value, as JSON text; empty when absent
    std::string object(const char* name);            // an object, as JSON text; empty when absent
    std::string error_correction(const char* name);  // true, false or "report", as JSON text; empty when absent
    std::map<std::string, std::string> texts(const char* name);  // an object of strings

    // Says why a value that was taken is wrong.
    void refuse(std::string message);
    // unknown_field with all unknown names, or the first wrong value.
    result<void> finish() const;

  private:
    const nlohmann::json* take(const char* name);

    const nlohmann::json& object_;
    std::vector<std::string_view> known_;
    std::optional<failure> wrong_;
};

}  // namespace gateway::api::agent
