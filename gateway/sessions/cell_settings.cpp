#include "gateway/sessions/cell_settings.hpp"

#include <algorithm>

namespace gateway::sessions {

cell_settings choose_settings(const cell_rules& rules, origin who, std::optional<correction_mode> of_session) {
    auto made = who == origin::agent ? rules.agents : rules.jupyter;
    if (!of_session) return made;
    made.error_correction = who == origin::agent ? *of_session : std::min(made.error_correction, *of_session);
    return made;
}

std::string to_json(const cell_settings& from) {
    return std::string("{\"error_correction\":") + to_json(from.error_correction) +
           ",\"install\":" + (from.install ? "true" : "false") + "}";
}

}  // namespace gateway::sessions
