// POST /v1/llm {query, reasoning_effort?} -> {"text"}: a question to the model, from a cell. With "incomplete" beside
// it, the text ends early, and why.
#pragma once

#include "gateway/api/helpers/endpoint.hpp"
#include "gateway/tools/model.hpp"

namespace gateway::api::helpers {

// `asked` outlives the endpoint.
void add_model_route(endpoint& to, tools::model& asked, meter_finder find_meters);

}  // namespace gateway::api::helpers
