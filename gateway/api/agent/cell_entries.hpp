// The outputs of one cell in its session's log, late ones too, and the gaps among them, one after the other in bounded
// memory. io thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gateway/api/agent/context.hpp"

namespace gateway::api::agent {

// The message types that put something into a cell.
bool is_output(const std::string& type);

class cell_entries {
  public:
    // Entries with seq in (after_seq, until_seq].
    cell_entries(shared_session of, std::string cell_id, std::uint64_t after_seq, std::uint64_t until_seq)
        : session_(std::move(of)), cell_id_(std::move(cell_id)), position_(after_seq), until_(until_seq) {}

    // Null at the end.
    awaitable<sessions::shared_entry> next();

  private:
    bool is_wanted(const sessions::entry& what) const;

    shared_session session_;
    std::string cell_id_;
    std::uint64_t position_;
    std::uint64_t until_;
    std::vector<sessions::shared_entry> batch_;
    std::size_t at_ = 0;
};

}  // namespace gateway::api::agent
