#include "gateway/api/jupyter/json_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace gateway::api::jupyter {
namespace {

bool is_plain(char letter) { return letter >= ' ' && letter < 0x7f && letter != '"' && letter != '\\'; }

}  // namespace

std::string json_string(std::string_view text) {
    // Ids, states and most names need no escaping: GET /api/kernels is polled by every Lab.
    if (std::all_of(text.begin(), text.end(), is_plain)) return '"' + std::string(text) + '"';
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace gateway::api::jupyter
