// A cell as the agent API shows it, in pieces: its displays are read back from the log one after the other, so that a
// cell with a gigabyte of them is answered in bounded memory. io thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gateway/api/agent/context.hpp"
#include "gateway/api/agent/output_finder.hpp"

namespace gateway::api::agent {

class cell_writer {
  public:
    // Shows the cell as it is now.
    cell_writer(shared_session of, const sessions::cell& what, const agent_options& options)
        : session_(of), cell_(what), options_(options), outputs_(std::move(of)) {}

    // The next piece of the JSON object; nullopt when it is complete.
    awaitable<std::optional<std::string>> next();

  private:
    awaitable<std::string> begin();
    awaitable<std::string> display(std::size_t which);

    shared_session session_;
    sessions::cell cell_;
    agent_options options_;
    output_finder outputs_;
    std::size_t displayed_ = 0;
    enum class step { head, displays, done } step_ = step::head;
};

}  // namespace gateway::api::agent
