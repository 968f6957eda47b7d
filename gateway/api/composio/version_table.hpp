// The versions of sessions' configurations in memory: what every configuration store reads from. io thread.
#pragma once

#include <deque>

#include "gateway/api/composio/configuration_store.hpp"

namespace gateway::api::composio {

class version_table : public configuration_store {
  public:
    using shared_version = std::shared_ptr<const configuration_version>;

    explicit version_table(std::size_t most_versions) : most_versions_(most_versions) {}

    shared_version current(const std::string& session_id) override;
    result<shared_version> add(const std::string& session_id, configuration what) override;
    std::vector<shared_version> history(const std::string& session_id) override;
    void remove(const std::string& session_id) override { versions_.erase(session_id); }
    std::vector<std::string> session_ids() override;

  protected:
    std::size_t most_versions() const { return most_versions_; }
    // What add() would put behind the others.
    configuration_version next(const std::string& session_id, configuration what);
    // Puts it there; the oldest goes when there are too many.
    shared_version keep(const std::string& session_id, configuration_version what);

  private:
    std::size_t most_versions_;
    std::map<std::string, std::deque<shared_version>> versions_;
};

}  // namespace gateway::api::composio
