// Entries of a session's log by their seq, for readers that go upwards: neighbours come from one read. io thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gateway/base/async.hpp"
#include "gateway/sessions/session.hpp"

namespace gateway::api::agent {

class output_finder {
  public:
    explicit output_finder(std::shared_ptr<sessions::session> of) : session_(std::move(of)) {}

    // Null when it is no longer kept. `until_seq`: the last one that will be asked for, as far as it is known.
    awaitable<sessions::shared_entry> find(std::uint64_t seq, std::uint64_t until_seq);

  private:
    std::shared_ptr<sessions::session> session_;
    std::vector<sessions::shared_entry> window_;
};

}  // namespace gateway::api::agent
