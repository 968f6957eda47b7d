// One cell as nbformat 4.5 has it, every line of its output included, written in pieces. io thread.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gateway/api/agent/cell_entries.hpp"
#include "gateway/api/agent/output_finder.hpp"

namespace gateway::api::agent {

class notebook_cell {
  public:
    notebook_cell(shared_session of, const sessions::cell& what) : session_(of), cell_(what), shown_(std::move(of)) {}

    // Appends what comes next; false when the cell is complete.
    awaitable<bool> write(std::string& to);

  private:
    awaitable<std::uint64_t> find_first_shown();
    void write_head(std::string& to) const;
    void write_restored(std::string& to);
    awaitable<void> write_output(sessions::shared_entry what, std::string& to);
    void write_text(const std::string& name, const std::string& text, std::string& to);
    awaitable<void> write_display(sessions::shared_entry what, std::string& to);
    void write_object(const nlohmann::json& what, std::string& to);
    void flush_text(std::string& to);
    void end_stream(std::string& to);

    shared_session session_;
    sessions::cell cell_;
    output_finder shown_;
    std::unique_ptr<cell_entries> entries_;
    bool any_output_ = false;
    std::string stream_;  // the name of the stream output that is being written; empty: none
    bool any_text_ = false;
    std::string text_;
};

}  // namespace gateway::api::agent
