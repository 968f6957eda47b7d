#include "gateway/tools/toolbox.hpp"

#include <algorithm>
#include <boost/asio/thread_pool.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/base/thread_pool.hpp"
#include "gateway/tools/execute_response.hpp"
#include "gateway/tools/http_transport.hpp"
#include "gateway/tools/mcp_server.hpp"
#include "gateway/tools/slug_table.hpp"
#include "gateway/tools/stdio_transport.hpp"

namespace gateway::tools {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t suggestions = 5;
constexpr std::size_t work_for_pool = 64 << 10;  // reading it takes a millisecond then
constexpr const char* nothing_configured =
    "no toolkit is configured on this gateway: name an MCP server in cellgate.toml, for example "
    "[tools.toolkits.FILES] with command = [\"mcp-server-filesystem\", \"/srv/files\"], and start the gateway again";

// Toolkits from the configuration have one identity, their server's own: a name for another cannot be honoured.
constexpr const char* no_accounts = "account cannot be chosen: this toolkit has no connected accounts; leave it out";

// What a server's program inherits: nothing that could be a secret of the gateway.
std::map<std::string, std::string> program_environment(const std::map<std::string, std::string>& configured) {
    std::map<std::string, std::string> env = configured;
    for (const char* name : {"PATH", "HOME", "LANG", "TMPDIR"})
        if (const char* value = std::getenv(name)) env.emplace(name, value);
    return env;
}

mcp_server::transport_factory factory_of(executor ex, const toolkit_options& from) {
    if (!from.url.empty()) {
        http_options options{from.name, from.url, from.headers, from.max_result_bytes};
        return [ex, options] { return make_http_transport(ex, options); };
    }
    stdio_options options{from.name, from.command, program_environment(from.env), from.max_result_bytes};
    return [ex, options] { return make_stdio_transport(ex, options); };
}

struct toolkit {
    toolkit_options options;
    std::unique_ptr<mcp_server> server;
};

std::string joined(const std::vector<std::string>& names) {
    std::string made;
    for (const auto& each : names) made += (made.empty() ? "" : ", ") + each;
    return made;
}

// What a message to a server is. A line break in JSON text is space between its parts.
result<std::string> on_one_line(std::string arguments) {
    if (!arguments.starts_with('{') || is_too_deep(arguments) || !nlohmann::json::accept(arguments))
        return failure{errc::invalid_request,
                       "arguments must be a JSON object, nested at most " + std::to_string(max_json_depth) + " deep"};
    std::ranges::replace_if(
        arguments, [](char letter) { return letter == '\n' || letter == '\r'; }, ' ');
    return arguments;
}

class mcp_toolbox final : public toolbox {
  public:
    mcp_toolbox(executor ex, std::vector<toolkit_options> toolkits) : ex_(ex) {
        for (auto& each : toolkits) add(std::move(each));
    }

    awaitable<result<std::string>> execute(std::string slug, std::string arguments_json, tool_caller whose) override {
        slug = normalized_slug(slug);
        if (!whose.account.empty()) co_return failure{errc::invalid_request, no_accounts};
        auto arguments = co_await checked(std::move(arguments_json));
        if (!arguments) co_return arguments.error();
        if (toolkits_.empty()) co_return failure{errc::not_found, nothing_configured};
        auto found = co_await locate(slug);
        if (!found) co_return found.error();
        auto& kit = *found->kit;
        auto answer = co_await kit.server->call(found->tool_name, std::move(*arguments), found->deadline);
        if (!answer) co_return failure{answer.error().code, slug + ": " + answer.error().message};
        co_return execute_response(answer->data, answer->error);
    }

    awaitable<std::vector<tool_description>> list() override {
        task_group starts(ex_);
        for (auto& [name, kit] : toolkits_) starts.spawn("tools of toolkit " + name, start(kit));
        co_await starts.join();
        std::vector<tool_description> made;
        for (const auto& [slug, each] : slugs_.entries())
            made.push_back(
                {slug, each.toolkit, each.what.name, each.what.description, each.what.input_schema, each.what.hints});
        co_return made;
    }

    bool empty() const override { return toolkits_.empty(); }

    awaitable<void> stop() override {
        task_group stops(ex_);
        for (auto& [name, kit] : toolkits_) stops.spawn("stop of toolkit " + name, kit.server->stop());
        co_await stops.join();
    }

  private:
    // Large ones in the pool.
    awaitable<result<std::string>> checked(std::string arguments) {
        if (arguments.size() <= work_for_pool) co_return on_one_line(std::move(arguments));
        auto check = [arguments = std::move(arguments)]() mutable { return on_one_line(std::move(arguments)); };
        co_return co_await run_on(decoders_, std::move(check));
    }

    struct location {
        toolkit* kit = nullptr;
        std::string tool_name;
        clock::time_point deadline;
    };

    void add(toolkit_options options) {
        auto name = options.name;
        auto& made = toolkits_[name];
        auto keep_tools = [this, name](std::vector<tool> tools) {
            for (const auto& note : slugs_.replace(name, std::move(tools))) log::warning("{}", note);
        };
        mcp_server::limits bounds;
        bounds.start = options.timeout;
        made.server = std::make_unique<mcp_server>(ex_, name, factory_of(ex_, options), decoders_, bounds, keep_tools);
        made.options = std::move(options);
    }

    static awaitable<void> start(toolkit& kit) { (void)co_await kit.server->ready(clock::now() + kit.options.timeout); }

    // The tool, once the servers whose slugs begin like this one are ready.
    awaitable<result<location>> locate(std::string slug) {
        result<void> problem;
        for (auto& [name, kit] : toolkits_) {
            if (slug.rfind(slug_part(name) + "_", 0) != 0) continue;
            auto deadline = clock::now() + kit.options.timeout;
            auto is_ready = co_await kit.server->ready(deadline);
            if (!is_ready) problem = is_ready;
            auto* entry = slugs_.find(slug);
            if (!entry || entry->toolkit != name || !is_ready) continue;
            location made{&kit, entry->what.name, deadline};
            co_return made;
        }
        if (!problem) co_return failure{problem.error().code, slug + ": " + problem.error().message};
        co_return unknown(slug);
    }

    failure unknown(const std::string& slug) const {
        std::vector<std::string> names;
        for (const auto& [name, unused] : toolkits_) names.push_back(slug_part(name));
        auto close = slugs_.close_matches(slug, suggestions);
        auto hint = close.empty() ? ". A slug is TOOLKIT_TOOL; the toolkits are " + joined(names)
                                  : "; did you mean " + joined(close) + "?";
        return {errc::not_found, "there is no tool " + slug.substr(0, 200) + hint};
    }

    executor ex_;
    asio::thread_pool decoders_{1};
    slug_table slugs_;
    std::map<std::string, toolkit> toolkits_;
};

}  // namespace

std::unique_ptr<toolbox> make_toolbox(executor ex, std::vector<toolkit_options> toolkits) {
    return std::make_unique<mcp_toolbox>(std::move(ex), std::move(toolkits));
}

}  // namespace gateway::tools
