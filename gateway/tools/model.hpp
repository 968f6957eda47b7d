// The model that cells ask: one endpoint of the OpenAI chat completions API, named in the configuration. Owned by main;
// io thread.
#pragma once

#include <memory>
#include <string>

#include "gateway/base/async.hpp"
#include "gateway/outbound/address_policy.hpp"
#include "gateway/tools/chat_request.hpp"
#include "gateway/tools/completion_stream.hpp"
#include "gateway/tools/meter.hpp"
#include "gateway/tools/service_totals.hpp"

namespace gateway::tools {

struct model_options {
    std::string base_url;                  // "https://api.example.com/v1"; empty: there is no model
    std::string api_key;                   // sent as Authorization: Bearer; empty: none is sent
    std::string name;                      // of the model
    milliseconds timeout{120'000};         // of a call, with its wait for a turn
    std::uint64_t max_tokens = 0;          // of an answer; 0: the server's own
    std::size_t max_characters = 200'000;  // of what is asked
    std::size_t max_answer_bytes = 4u << 20;
    usage_limits per_session = {};
    outbound::address_policy reach = outbound::address_policy::configured();
};

class model {
  public:
    virtual ~model() = default;
    virtual bool is_configured() const = 0;
    // Asks, and counts what it used for `whose` session, also when the call is cancelled: the connection is closed
    // then, which is what ends the work of most servers. Tokens that the server does not tell are estimated, four bytes
    // each. not_found (no model is configured), invalid_request, limit_reached, rate_limited, tool_failed, timeout,
    // too_large, unavailable, forbidden, peer_gone: with a message for the caller. Nothing is tried again.
    virtual awaitable<result<completion>> complete(chat_request what, shared_meters whose) = 0;
    virtual const service_totals& totals() const = 0;
};

std::unique_ptr<model> make_model(executor ex, model_options options);

}  // namespace gateway::tools
