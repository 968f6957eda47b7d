#include "kernel/interpreter/shells.hpp"

namespace kernel {

shell_pointer shell_table::add() {
    auto made = std::make_shared<shell>(messaging::make_id());
    std::lock_guard lock(mutex_);
    others_.emplace(made->id, made);
    return made;
}

shell_pointer shell_table::find(const std::string& id) const {
    if (id.empty()) return main_;
    std::lock_guard lock(mutex_);
    auto found = others_.find(id);
    return found == others_.end() ? nullptr : found->second;
}

shell_pointer shell_table::remove(const std::string& id) {
    std::lock_guard lock(mutex_);
    auto found = others_.find(id);
    if (found == others_.end()) return nullptr;
    auto removed = std::move(found->second);
    others_.erase(found);
    return removed;
}

std::vector<std::string> shell_table::list() const {
    std::lock_guard lock(mutex_);
    std::vector<std::string> ids;
    for (const auto& [id, each] : others_) ids.push_back(id);
    return ids;
}

void shell_table::close_all() {
    main_->queue.close();
    std::lock_guard lock(mutex_);
    for (const auto& [id, each] : others_) each->queue.close();
}

}  // namespace kernel
