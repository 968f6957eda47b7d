// The web search that cells ask: one provider, named in the configuration. Owned by main; io thread.
#pragma once

#include <memory>
#include <string>

#include "gateway/base/async.hpp"
#include "gateway/outbound/address_policy.hpp"
#include "gateway/tools/meter.hpp"
#include "gateway/tools/search_provider.hpp"
#include "gateway/tools/service_totals.hpp"

namespace gateway::tools {

struct search_options {
    search_provider provider = search_provider::none;
    std::string url;  // empty: the provider's own
    std::string api_key;
    int max_results = 5;
    milliseconds timeout{30'000};  // of a search, with its wait for a turn
    std::size_t max_answer_bytes = 4u << 20;
    usage_limits per_session = {.section = "search"};
    outbound::address_policy reach = outbound::address_policy::configured();
};

class web_search {
  public:
    virtual ~web_search() = default;
    virtual bool is_configured() const = 0;
    // The same failures as model::complete. An answer that found nothing is none. Nothing is tried again.
    virtual awaitable<result<search_answer>> search(std::string query, shared_meters whose) = 0;
    virtual const service_totals& totals() const = 0;
};

std::unique_ptr<web_search> make_web_search(executor ex, search_options options);

}  // namespace gateway::tools
