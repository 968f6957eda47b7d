#include "gateway/api/jupyter/kernel_json.hpp"

#include <fmt/format.h>

#include <iterator>

#include "gateway/api/jupyter/json_text.hpp"

namespace gateway::api::jupyter {
namespace {

// Why a kernel is dead: the word of the one vocabulary, then what it printed when it did not start.
std::string death_reason(const sessions::session& owner) {
    std::string reason = sessions::to_string(owner.reason());
    if (owner.failure_text().empty()) return reason;
    return reason.empty() ? owner.failure_text() : reason + ": " + owner.failure_text();
}

void append_model(std::string& out, const sessions::kernel_entry& kernel) {
    const auto& owner = *kernel.owner;
    const auto& name = kernel.through ? kernel.through->spec_name : owner.spec().name;
    fmt::format_to(std::back_inserter(out),
                   R"({{"id":{},"name":{},"last_activity":"{}","execution_state":"{}","connections":{})",
                   json_string(kernel.kernel_id()), json_string(name), iso8601(owner.last_activity()),
                   sessions::to_string(owner.state()), count_connections(kernel));
    if (owner.state() == sessions::session_state::dead) out += ",\"reason\":" + json_string(death_reason(owner));
    out += '}';
}

}  // namespace

std::size_t count_connections(const sessions::kernel_entry& kernel) {
    const auto& owner = *kernel.owner;
    if (kernel.through) return owner.connections_via(kernel.through->kernel_id);
    return owner.connections() + owner.agent_sockets();
}

std::string kernel_model(const sessions::kernel_entry& kernel) {
    std::string model;
    append_model(model, kernel);
    return model;
}

std::string kernel_models(const std::vector<sessions::kernel_entry>& kernels) {
    std::string models = "[";
    for (const auto& each : kernels) {
        if (models.size() > 1) models += ',';
        append_model(models, each);
    }
    return models += ']';
}

}  // namespace gateway::api::jupyter
