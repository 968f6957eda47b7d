#include <unistd.h>

#include "gateway/config/assembly.hpp"

namespace gateway::config {
namespace {

constexpr std::string_view prefix = "CELLGATE_";

// Kubernetes gives every container variables for each service of its namespace; for one that is called "cellgate" they
// are CELLGATE_SERVICE_HOST, CELLGATE_SERVICE_PORT…, CELLGATE_PORT and CELLGATE_PORT_8888_TCP….
bool is_service_link(const std::string& name) {
    return name == "CELLGATE_PORT" || name.rfind("CELLGATE_PORT_", 0) == 0 || name.rfind("CELLGATE_SERVICE_", 0) == 0;
}

std::string home_of(const sources& from) {
    auto found = from.environment.find("HOME");
    return found == from.environment.end() ? "" : found->second;
}

const setting* find_by_environment(const std::string& name) {
    for (const auto& one : settings()) {
        if (environment_name(one.key) == name) return &one;
    }
    return nullptr;
}

std::vector<std::string> known_names() {
    std::vector<std::string> names;
    for (const auto& one : settings()) names.push_back(environment_name(one.key));
    return names;
}

}  // namespace

void read_environment(assembly& into, const sources& from) {
    for (const auto& [name, text] : from.environment) {
        if (name.compare(0, prefix.size(), prefix) != 0 || is_service_link(name)) continue;
        const auto* what = find_by_environment(name);
        origin here{name, from.working_directory, home_of(from)};
        if (what != nullptr) {
            into.assign_text(*what, text, here);
        } else {
            into.refuse_unknown(name, "the environment", known_names());
        }
    }
}

}  // namespace gateway::config
