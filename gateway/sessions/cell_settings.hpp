// How the kernel's helpers treat a cell: what the gateway says to the kernel with an agent's cell, and, for the cells
// of Jupyter clients, whose requests go through verbatim, when the kernel starts. Values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gateway/sessions/correction.hpp"

namespace gateway::sessions {

enum class origin : std::uint8_t;

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

// What a session or a cell says itself, as far as it does.
struct asked_settings {
    std::optional<correction_mode> error_correction;
    std::optional<bool> install;
};

// For the cells of `who` in a session that asked for `of_session`. A person's cells never get more than that.
cell_settings choose_settings(const cell_rules& rules, origin who, const asked_settings& of_session);

// With what `asked` says in place of its own.
cell_settings replaced(cell_settings by_default, const asked_settings& asked);

// {"error_correction":true,"install":true}: metadata["cellgate"] of an execute_request.
std::string to_json(const cell_settings& from);

}  // namespace gateway::sessions
