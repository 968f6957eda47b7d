// The configurations of sessions, every version of them. Owned by the service; io thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gateway/api/composio/configuration.hpp"
#include "gateway/base/ids.hpp"

namespace gateway::api::composio {

struct configuration_version {
    std::uint64_t number = 1;
    wall_clock::time_point made_at;
    configuration what;
};

// What a store must do, so that configurations can outlive the gateway when sessions do. io_error.
class configuration_store {
  public:
    virtual ~configuration_store() = default;
    // The newest; null when the session has none.
    virtual std::shared_ptr<const configuration_version> current(const std::string& session_id) = 0;
    // The next version, or the first.
    virtual result<std::shared_ptr<const configuration_version>> add(const std::string& session_id,
                                                                     configuration what) = 0;
    // The newest first.
    virtual std::vector<std::shared_ptr<const configuration_version>> history(const std::string& session_id) = 0;
    virtual void remove(const std::string& session_id) = 0;
    virtual std::vector<std::string> session_ids() = 0;
};

// Lives as long as the gateway. A session keeps its newest `most_versions`.
std::unique_ptr<configuration_store> make_memory_store(std::size_t most_versions = 100);
// The same in the gateway's database, as its sessions are: read once, written at each add() and remove(), which are few
// and small. What sessions left that are no longer there is removed.
result<std::unique_ptr<configuration_store>> open_configuration_store(const std::string& data_dir,
                                                                      std::size_t most_versions = 100);

}  // namespace gateway::api::composio
