#include "gateway/api/composio/configuration_store.hpp"

#include <deque>
#include <utility>

namespace gateway::api::composio {
namespace {

using shared_version = std::shared_ptr<const configuration_version>;

class memory_store final : public configuration_store {
  public:
    explicit memory_store(std::size_t most_versions) : most_versions_(most_versions) {}

    shared_version current(const std::string& session_id) override {
        auto found = versions_.find(session_id);
        return found == versions_.end() ? nullptr : found->second.back();
    }

    result<shared_version> add(const std::string& session_id, configuration what) override {
        auto& kept = versions_[session_id];
        auto number = kept.empty() ? 1 : kept.back()->number + 1;
        configuration_version made{number, wall_clock::now(), std::move(what)};
        kept.push_back(std::make_shared<const configuration_version>(std::move(made)));
        if (kept.size() > most_versions_) kept.pop_front();
        return kept.back();
    }

    std::vector<shared_version> history(const std::string& session_id) override {
        auto found = versions_.find(session_id);
        if (found == versions_.end()) return {};
        return {found->second.rbegin(), found->second.rend()};
    }

    void remove(const std::string& session_id) override { versions_.erase(session_id); }

    std::vector<std::string> session_ids() override {
        std::vector<std::string> made;
        for (const auto& [id, unused] : versions_) made.push_back(id);
        return made;
    }

  private:
    std::size_t most_versions_;
    std::map<std::string, std::deque<shared_version>> versions_;
};

}  // namespace

std::unique_ptr<configuration_store> make_memory_store(std::size_t most_versions) {
    return std::make_unique<memory_store>(most_versions);
}

}  // namespace gateway::api::composio
