#include "gateway/sessions/correction.hpp"

namespace gateway::sessions {

const char* to_json(correction_mode mode) {
    switch (mode) {
        case correction_mode::off:
            return "false";
        case correction_mode::report:
            return "\"report\"";
        case correction_mode::on:
            break;
    }
    return "true";
}

std::optional<correction_mode> parse_correction_mode(std::string_view json_text) {
    for (auto mode : {correction_mode::off, correction_mode::report, correction_mode::on})
        if (json_text == to_json(mode)) return mode;
    return std::nullopt;
}

}  // namespace gateway::sessions
