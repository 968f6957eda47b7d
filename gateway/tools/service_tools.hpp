// The two tools by which helpers that are published for other gateways ask for a model and for the web, in front of the
// toolkits' tools: COMPOSIO_SEARCH_GROQ_CHAT and COMPOSIO_SEARCH_EXA_ANSWER. Owned by main; io thread.
#pragma once

#include <memory>

#include "gateway/tools/model.hpp"
#include "gateway/tools/toolbox.hpp"
#include "gateway/tools/web_search.hpp"

namespace gateway::tools {

inline constexpr const char* chat_slug = "COMPOSIO_SEARCH_GROQ_CHAT";
inline constexpr const char* answer_slug = "COMPOSIO_SEARCH_EXA_ANSWER";

// Everything else goes to `others`. All outlive it.
std::unique_ptr<toolbox> make_service_tools(toolbox& others, model& asked, web_search& searched);

}  // namespace gateway::tools
