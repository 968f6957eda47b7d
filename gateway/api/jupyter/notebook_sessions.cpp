#include "gateway/api/jupyter/notebook_sessions.hpp"

#include "gateway/base/ids.hpp"

namespace gateway::api::jupyter {

const notebook_session& notebook_sessions::add(notebook_session row) {
    row.id = make_uuid();
    auto id = row.id;
    return rows_.emplace(std::move(id), std::move(row)).first->second;
}

const notebook_session* notebook_sessions::find(const std::string& id) const {
    auto found = rows_.find(id);
    return found == rows_.end() ? nullptr : &found->second;
}

const notebook_session* notebook_sessions::find_path(const std::string& user_id, const std::string& path,
                                                     const std::string& type) const {
    for (const auto& [id, row] : rows_)
        if (row.user_id == user_id && row.path == path && row.type == type) return &row;
    return nullptr;
}

const notebook_session* notebook_sessions::find_kernel(const std::string& user_id, const std::string& kernel_id) const {
    const notebook_session* best = nullptr;
    for (const auto& [id, row] : rows_)
        if (row.user_id == user_id && row.kernel_id == kernel_id && (!best || row.type == "notebook")) best = &row;
    return best;
}

std::vector<notebook_session> notebook_sessions::list() const {
    std::vector<notebook_session> all;
    for (const auto& [id, row] : rows_) all.push_back(row);
    return all;
}

void notebook_sessions::update(const notebook_session& row) {
    auto found = rows_.find(row.id);
    if (found != rows_.end()) found->second = row;
}

void notebook_sessions::remove(const std::string& id) { rows_.erase(id); }

}  // namespace gateway::api::jupyter
