#include "gateway/api/composio/context.hpp"

#include <charconv>
#include <nlohmann/json.hpp>

#include "gateway/api/composio/json_reading.hpp"
#include "gateway/api/composio/session_settings.hpp"

namespace gateway::api::composio {
namespace {

// `otherwise` when it is absent; nothing when it is no number.
std::optional<std::size_t> query_number(const http::request& from, const char* name, std::size_t otherwise) {
    auto text = from.find_query(name);
    if (!text || text->empty()) return otherwise;
    std::size_t value = 0;
    auto [end, ec] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (ec != std::errc() || end != text->data() + text->size()) return std::nullopt;
    return value;
}

}  // namespace

context::context(executor ex, sessions::registry& registry, tools::toolbox& tools, service_options options)
    : registry(registry),
      tools(tools),
      options(options),
      cells{options.text_limit_chars, options.text_file_max_bytes},
      configurations(make_memory_store()),
      runs(ex, options.keep_outcome),
      mcp(ex) {
    if (!this->options.links)
        this->options.links = std::make_shared<files::links>(files::link_signer::make(), files::link_rules{});
    if (options.accounts)
        account_links =
            std::make_unique<accounts::pending_links>(ex, *this->options.accounts, this->options.connecting);
}

service::service(executor ex, sessions::registry& registry, tools::toolbox& tools, service_options options)
    : context_(std::make_shared<context>(std::move(ex), registry, tools, std::move(options))) {}

service::~service() = default;

result<void> service::keep_in(const std::string& data_dir) {
    auto opened = open_configuration_store(data_dir);
    if (!opened) return opened.error();
    context_->configurations = std::move(*opened);
    return {};
}

void service::add_routes(http::router& to) {
    add_session_routes(to, context_);
    add_tool_routes(to, context_);
    add_connection_routes(to, context_);
    add_connect_routes(to, context_);
    add_execute_routes(to, context_);
    add_mount_routes(to, context_);
    add_proxy_routes(to, context_);
    add_mcp_route(to, context_);
    add_agent_mcp_route(to, context_);
}

awaitable<void> service::stop(milliseconds patience) {
    co_await context_->runs.stop(patience);
    co_await context_->mcp.stop();
}

void add_route(http::router& routes, const std::shared_ptr<context>& with, const char* method, const std::string& path,
               http::scope needed, endpoint what) {
    for (const char* prefix : {"/api/v3.1", "/api/v3"}) {
        http::route added;
        added.method = method;
        added.pattern = std::string(prefix) + "/tool_router/session" + path;
        added.needed = needed;
        added.takes_session_key = needed == http::scope::execute;
        added.errors = http::error_style::composio;
        added.handle = [with, what](http::request& from) { return what(*with, from); };
        routes.add(std::move(added));
    }
}

http::response refuse(const failure& why, const http::request& from) {
    auto made = http::error_response(why, http::error_style::composio, from.id);
    // The SDKs would repeat it as it is; and a call that broke off, or ran out of time, may have been done.
    if (made.status == 409 || made.status == 502 || made.status == 504)
        made.headers.emplace_back("x-should-retry", "false");
    return made;
}

result<found_session> find_session(context& with, const http::request& from) {
    const auto& wanted = from.parameters.at(0);
    auto found = with.registry.find(wanted);
    if (!found || !from.caller.sees(found->options().user_id))
        return failure{errc::session_not_found,
                       "there is no session " + wanted.substr(0, 100) + ": it was deleted, or never was; create one"};
    auto version = with.configurations->current(wanted);
    if (!version) {
        auto added = with.configurations->add(wanted, configuration{});
        if (!added) return added.error();
        version = *added;
    }
    version = with_sandbox(std::move(version), *found);
    auto base = with.options.links->base_for(from);
    return found_session{std::move(found), std::move(version), base ? *base + "connect/" : ""};
}

void forget_ended(context& with) {
    for (const auto& id : with.configurations->session_ids()) {
        if (with.registry.find(id)) continue;
        with.configurations->remove(id);
        with.seen.erase(id);
    }
}

std::string origin_of(const http::request& from, const std::string& base_url) {
    return (from.secure ? "https://" : "http://") + from.header("host") + base_url;
}

result<std::size_t> read_limit(const http::request& from, std::size_t usual, std::size_t most) {
    auto limit = query_number(from, "limit", usual);
    if (!limit || *limit < 1) return failure{errc::invalid_request, "limit must be a whole number over 0"};
    return std::min(*limit, most);
}

result<page> read_page(const http::request& from, std::size_t total, std::size_t usual, std::size_t most) {
    auto limit = read_limit(from, usual, most);
    if (!limit) return limit.error();
    auto begin = query_number(from, "cursor", 0);
    if (!begin) return failure{errc::invalid_request, "cursor is not one that next_cursor gave"};
    page made;
    made.limit = *limit;
    made.total = total;
    made.begin = std::min(*begin, total);
    made.end = std::min(total, made.begin + made.limit);
    return made;
}

std::string page_answer(const page& of, json items) {
    json made = {{"items", std::move(items)},
                 {"total_pages", (of.total + of.limit - 1) / of.limit},
                 {"current_page", of.begin / of.limit + 1},
                 {"total_items", of.total}};
    made["next_cursor"] = of.end < of.total ? json(std::to_string(of.end)) : json(nullptr);
    return to_text(made);
}

}  // namespace gateway::api::composio
