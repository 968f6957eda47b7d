#include "gateway/tools/tool_filter.hpp"

#include "gateway/tools/service_tools.hpp"
#include "gateway/tools/slug_table.hpp"

namespace gateway::tools {

std::vector<tool_description> admitted(std::vector<tool_description> all, const tool_filter& filter) {
    if (filter) std::erase_if(all, [&](const auto& each) { return !filter(each); });
    return all;
}

awaitable<result<void>> check_admitted(toolbox& of, std::string slug, tool_filter filter) {
    slug = normalized_slug(slug);
    if (!filter || slug == chat_slug || slug == answer_slug) co_return result<void>();
    auto all = co_await of.list();
    for (const auto& each : all)
        if (each.slug == slug && !filter(each))
            co_return failure{errc::invalid_request,
                              slug + " is not among the tools that this session's toolkits and tools let in"};
    co_return result<void>();
}

}  // namespace gateway::tools
