// A cell's outputs as the texts and images of a tool's answer. io thread.
#pragma once

#include <string>
#include <vector>

#include "gateway/api/composio/workbench.hpp"

namespace gateway::api::composio {

struct shown_cell {
    std::string results;       // what was displayed, as text, and the value of the last expression
    std::string results_file;  // in the session, when `results` is only its head
    std::vector<image> images;
};

awaitable<shown_cell> read_cell(shared_session of, const sessions::cell& what, const workbench_options& options);

// `head`, and when there is a file, how to read the rest.
std::string text_with_trailer(const std::string& head, const std::string& file);
// Empty for a cell that is ok; otherwise one line for people and models, which says what became of the variables.
std::string why_failed(const sessions::cell& what);
// What is left after a sandbox ended for that reason: ", files in /mnt/files are kept" unless they may be gone with
// their session.
const char* kept_after(sessions::cell_reason why);
// The traceback without colours.
std::string traceback_text(const sessions::cell_error& what);

}  // namespace gateway::api::composio
