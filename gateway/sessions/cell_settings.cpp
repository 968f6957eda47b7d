#include "gateway/sessions/cell_settings.hpp"

#include <algorithm>

#include "gateway/sessions/cell.hpp"

namespace gateway::sessions {

cell_settings choose_settings(const cell_rules& rules, origin who, const asked_settings& of_session) {
    if (who == origin::agent) return replaced(rules.agents, of_session);
    const auto most = replaced({correction_mode::on, true}, of_session);
    return {std::min(rules.jupyter.error_correction, most.error_correction), rules.jupyter.install && most.install};
}

cell_settings replaced(cell_settings by_default, const asked_settings& asked) {
    return {asked.error_correction.value_or(by_default.error_correction), asked.install.value_or(by_default.install)};
}

std::string to_json(const cell_settings& from) {
    return std::string("{\"error_correction\":") + to_json(from.error_correction) +
           ",\"install\":" + (from.install ? "true" : "false") + "}";
}

}  // namespace gateway::sessions
