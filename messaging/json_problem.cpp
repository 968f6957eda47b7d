#include "messaging/json_problem.hpp"

#include <nlohmann/json.hpp>

#include "messaging/json_scanner.hpp"
#include "messaging/json_string.hpp"
#include "messaging/utf8.hpp"

namespace messaging {
namespace {

using nlohmann::json;

// The parser's own words may repeat much of the text.
constexpr std::size_t most_words = 200;

// Takes nothing in but how deep it is and what went wrong.
class listener final : public nlohmann::json_sax<json> {
  public:
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool key(string_t&) override { return true; }
    bool start_object(std::size_t) override { return enter(); }
    bool start_array(std::size_t) override { return enter(); }
    bool end_object() override { return leave(); }
    bool end_array() override { return leave(); }
    bool parse_error(std::size_t at, const std::string&, const json::exception& why) override {
        std::string words = why.what();  // "[json.exception.parse_error.101] …"
        auto end_of_name = words.find("] ");
        if (end_of_name != std::string::npos) words.erase(0, end_of_name + 2);
        if (words.size() > most_words) words = words.substr(0, most_words) + "…";
        problem = "is not JSON at byte " + std::to_string(at) + ": " + replace_invalid_utf8(words);
        return false;
    }

    std::string problem;

  private:
    bool enter() {
        if (++depth_ <= max_json_depth) return true;
        problem = "is nested deeper than " + std::to_string(max_json_depth) + " levels";
        return false;
    }
    bool leave() {
        --depth_;
        return true;
    }
    std::size_t depth_ = 0;
};

std::string utf8_problem(std::string_view text) {
    auto at = find_invalid_utf8(text);
    return at == text.size() ? std::string() : "is not UTF-8 at byte " + std::to_string(at);
}

}  // namespace

std::string json_problem(std::string_view text) {
    if (auto problem = utf8_problem(text); !problem.empty()) return problem;
    listener heard;
    json::sax_parse(text, &heard);
    return heard.problem;
}

std::string large_json_problem(std::string_view text, std::size_t at) {
    auto problem = utf8_problem(text);
    if (!problem.empty()) return problem;
    return "is not JSON, or nested deeper than " + std::to_string(max_json_depth) + " levels, in the member at byte " +
           std::to_string(at);
}

std::string literal_problem(std::string_view literal) {
    auto at = find_lone_surrogate(literal);
    if (at == std::string_view::npos) return {};
    return "has the escape " + std::string(literal.substr(at, 6)) + ", half of a surrogate pair, at byte " +
           std::to_string(at - 1);
}

}  // namespace messaging
