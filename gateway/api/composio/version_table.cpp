#include "gateway/api/composio/version_table.hpp"

#include <utility>

namespace gateway::api::composio {

version_table::shared_version version_table::current(const std::string& session_id) {
    auto found = versions_.find(session_id);
    return found == versions_.end() ? nullptr : found->second.back();
}

result<version_table::shared_version> version_table::add(const std::string& session_id, configuration what) {
    return keep(session_id, next(session_id, std::move(what)));
}

std::vector<version_table::shared_version> version_table::history(const std::string& session_id) {
    auto found = versions_.find(session_id);
    if (found == versions_.end()) return {};
    return {found->second.rbegin(), found->second.rend()};
}

std::vector<std::string> version_table::session_ids() {
    std::vector<std::string> made;
    for (const auto& [id, unused] : versions_) made.push_back(id);
    return made;
}

configuration_version version_table::next(const std::string& session_id, configuration what) {
    const auto before = current(session_id);
    return {before ? before->number + 1 : 1, wall_clock::now(), std::move(what)};
}

version_table::shared_version version_table::keep(const std::string& session_id, configuration_version what) {
    auto& kept = versions_[session_id];
    kept.push_back(std::make_shared<const configuration_version>(std::move(what)));
    if (kept.size() > most_versions_) kept.pop_front();
    return kept.back();
}

std::unique_ptr<configuration_store> make_memory_store(std::size_t most_versions) {
    return std::make_unique<version_table>(most_versions);
}

}  // namespace gateway::api::composio
