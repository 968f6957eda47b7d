// How the kernel's helpers treat a cell: what the gateway says to the kernel with an agent's cell, and, for the cells
// of Jupyter clients, whose requests go through verbatim, when the kernel starts. Values; any thread.
#pragma once

#include <optional>
#include <string>

#include "gateway/sessions/cell.hpp"

namespace gateway::sessions {

struct cell_settings {
    correction_mode error_correction = correction_mode::on;
    bool install = true;  // packages that it imports and that are missing

    bool operator==(const cell_settings&) const = default;
};

// By who sends the cell, when neither the session nor the cell says otherwise.
struct cell_rules {
    cell_settings agents;
    cell_settings jupyter{correction_mode::report, false};
};

// For the cells of `who` in a session with an error_correction of its own (or none). A person's cells never get more
// than the session has.
cell_settings choose_settings(const cell_rules& rules, origin who, std::optional<correction_mode> of_session);

// {"error_correction":true,"install":true}: metadata["cellgate"] of an execute_request.
std::string to_json(const cell_settings& from);

}  // namespace gateway::sessions
