// POST /v1/search {query} -> {"answer", "sources": [{"title", "url"}]}: a web search, from a cell.
#pragma once

#include "gateway/api/helpers/endpoint.hpp"
#include "gateway/tools/web_search.hpp"

namespace gateway::api::helpers {

// `searched` outlives the endpoint.
void add_search_route(endpoint& to, tools::web_search& searched, meter_finder find_meters);

}  // namespace gateway::api::helpers
