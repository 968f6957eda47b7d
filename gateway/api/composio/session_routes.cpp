// …/tool_router/session, and what is said of the session itself.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/api/composio/catalog.hpp"
#include "gateway/api/composio/context.hpp"
#include "gateway/api/composio/custom_tools.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/api/composio/session_settings.hpp"
#include "gateway/base/log.hpp"
#include "gateway/sessions/change_mark.hpp"

namespace gateway::api::composio {
namespace {

constexpr std::size_t most_user_bytes = 200;
constexpr std::size_t usual_history = 20;
constexpr std::size_t most_history = 100;

constexpr const char* assistive_prompt =
    "You have a session with tools and, unless it is turned off, a Python sandbox. Find tools with "
    "COMPOSIO_SEARCH_TOOLS before you call them. Use COMPOSIO_REMOTE_WORKBENCH for loops over many calls, for data too "
    "large to read here, and for files; variables stay between its calls, and files in /mnt/files outlive it.";

// What was asked for and is not here, so that a client can tell its user.
json warnings_for(const configuration& of, tools::toolbox& tools) {
    json made = json::array();
    if (tools.empty() && of.toolkits.only && !of.toolkits.only->empty())
        made.push_back({{"code", "TOOLKIT_NOT_CONFIGURED"},
                        {"message", "no toolkit is configured on this gateway; the session has none of those named"}});
    return made;
}

json session_object(context& with, const found_session& of, const http::request& from) {
    const auto& id = of.session->id();
    const auto url = origin_of(from, with.options.base_url) + "tool_router/" + id + "/mcp";
    json made = {{"session_id", id},
                 {"mcp", {{"type", "http"}, {"url", url}}},
                 {"tool_router_tools", listed_slugs(of.settings())},
                 {"config_version", of.version->number},
                 {"config", shown_configuration(of.settings(), of.session->options().user_id)},
                 {"warnings", warnings_for(of.settings(), with.tools)}};
    if (const auto& step = of.session->step(); !step.name.empty()) {
        made["current_step"] = step.name;
        if (!step.metric.empty()) made["current_step_metric"] = json::parse(step.metric);
    }
    auto custom = named_custom_tools(member(json::parse(of.settings().document), "experimental"));
    made["experimental"] = custom ? *custom : json::object();
    return made;
}

http::response answer(const json& what, int status = 200) { return http::json_response(to_text(what), status); }

result<std::string> read_user(const json& body, const http::principal& caller) {
    const auto& user = member(body, "user_id");
    if (user.is_null()) return failure{errc::invalid_request, "Validation error: Required at \"user_id\""};
    const auto text = text_member(body, "user_id");
    const bool has_control =
        std::any_of(text.begin(), text.end(), [](unsigned char byte) { return byte < 0x20 || byte == 0x7f; });
    if (text.empty() || text.size() > most_user_bytes || has_control)
        return failure{errc::invalid_request, "user_id must be a string of 1 to 200 bytes without control characters"};
    if (!caller.is_admin() && text != caller.user_id)
        return failure{errc::forbidden, "user_id " + text + " is another user: this key acts for " + caller.user_id +
                                            " alone; an admin key may name any"};
    return text;
}

sessions::session_options options_of(std::string user, const configuration& settings) {
    sessions::session_options made;
    made.user_id = std::move(user);
    made.made_by = sessions::origin::agent;
    made.sandbox = sandbox_text(settings.workbench);
    return made;
}

sessions::session_change sandbox_change(const workbench_settings& to) {
    sessions::session_change made;
    made.sandbox = sandbox_text(to);
    return made;
}

sessions::session_change back_to(const std::string& sandbox) {
    sessions::session_change made;
    made.forget_sandbox = true;
    made.sandbox = sandbox;
    return made;
}

awaitable<http::response> create(context& with, http::request& from) {
    forget_ended(with);
    auto body = read_body(from.body);
    if (!body) co_return refuse(body.error(), from);
    auto user = read_user(**body, from.caller);
    if (!user) co_return refuse(user.error(), from);
    auto settings = read_configuration(**body);
    if (!settings) co_return refuse(settings.error(), from);
    auto custom = named_custom_tools(member(**body, "experimental"));
    if (!custom) co_return refuse(custom.error(), from);
    auto options = options_of(std::move(*user), *settings);
    auto made = co_await with.registry.create(std::move(options));
    if (!made) co_return refuse(made.error(), from);
    auto version = with.configurations->add((*made)->id(), std::move(*settings));
    if (!version) {
        const auto id = (*made)->id();
        (void)co_await with.registry.remove(id, kernels::end_reason::session_ended);
        co_return refuse(version.error(), from);
    }
    auto shown = session_object(with, {*made, *version}, from);
    shown["experimental"]["assistive_prompt"] = assistive_prompt;
    co_return answer(shown, 201);
}

awaitable<http::response> get(context& with, http::request& from) {
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    co_return answer(session_object(with, *found, from));
}

// Custom tools run in the client: all that is kept of them here are their names, in the answer.
awaitable<http::response> attach(context& with, http::request& from) {
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto body = read_body(from.body);
    if (!body) co_return refuse(body.error(), from);
    auto custom = named_custom_tools(member(**body, "experimental"));
    if (!custom) co_return refuse(custom.error(), from);
    auto shown = session_object(with, *found, from);
    shown["experimental"].update(*custom);
    co_return answer(shown);
}

result<void> check_version(const json& body, std::uint64_t current) {
    const auto& expected = member(body, "expected_config_version");
    if (expected.is_null()) return {};
    if (!expected.is_number_unsigned())
        return failure{errc::invalid_request, "expected_config_version must be a whole number"};
    if (expected.get<std::uint64_t>() == current) return {};
    return failure{errc::conflict, "the configuration has version " + std::to_string(current) + ", not " +
                                       to_text(expected) + ": read the session again and repeat the change"};
}

result<configuration> read_change(const json& body, const found_session& of) {
    if (auto good = check_version(body, of.version->number); !good) return good.error();
    const auto& user = member(body, "user_id");
    if (!user.is_null() && user != json(of.session->options().user_id))
        return failure{errc::invalid_request, "user_id cannot be changed: create a session for that user"};
    if (auto custom = named_custom_tools(member(body, "experimental")); !custom) return custom.error();
    return change_configuration(of.settings(), body);
}

// The sandbox first: that can be refused, and takes a while in which nobody may see a configuration that is refused
// then. Other PATCHes are refused meanwhile, so that none is made of a version that is no longer the newest. A gateway
// that dies between the two has the sandbox and not the version: as with_sandbox() reads it, that is a session whose
// sandbox was changed by its own API, and a client that had no answer asks again.
awaitable<result<void>> apply_change(context& with, found_session& to, configuration what) {
    const auto id = to.session->id();
    const auto before = to.session->options().sandbox;
    const bool is_another = sandbox_text(what.workbench) != sandbox_text(to.settings().workbench);
    const sessions::change_mark mark(with.changing, id);
    if (is_another) {
        auto change = sandbox_change(what.workbench);
        auto done = co_await with.registry.change(id, std::move(change));
        if (!done) co_return done.error();
        if (!with.registry.find(id)) co_return failure{errc::session_not_found, "the session was ended meanwhile"};
    }
    auto version = with.configurations->add(id, std::move(what));
    if (version) {
        to.version = with_sandbox(std::move(*version), *to.session);
        co_return result<void>();
    }
    if (is_another) {
        auto back = back_to(before);
        auto undone = co_await with.registry.change(id, std::move(back));
        if (!undone) log::warning("session {} keeps the sandbox of a PATCH that failed", id);
    }
    co_return version.error();
}

awaitable<http::response> patch(context& with, http::request& from) {
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto body = read_body(from.body);
    if (!body) co_return refuse(body.error(), from);
    if (with.changing.contains(found->session->id()))
        co_return refuse({errc::conflict, "the session is being changed already: ask again when that is done"}, from);
    auto changed = read_change(**body, *found);
    if (!changed) co_return refuse(changed.error(), from);
    auto done = co_await apply_change(with, *found, std::move(*changed));
    if (!done) co_return refuse(done.error(), from);
    co_return answer(session_object(with, *found, from));
}

awaitable<http::response> remove(context& with, http::request& from) {
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    const auto id = found->session->id();
    auto removed = co_await with.registry.remove(id, kernels::end_reason::session_ended);
    if (!removed) co_return refuse(removed.error(), from);
    with.configurations->remove(id);
    with.seen.erase(id);
    co_return answer({{"session_id", id}, {"deleted", true}});
}

awaitable<http::response> history(context& with, http::request& from) {
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    const auto all = with.configurations->history(found->session->id());
    auto which = read_page(from, all.size(), usual_history, most_history);
    if (!which) co_return refuse(which.error(), from);
    json items = json::array();
    for (auto at = which->begin; at < which->end; ++at)
        items.push_back({{"version", all[at]->number},
                         {"created_at", iso8601(all[at]->made_at)},
                         {"is_current", at == 0},
                         {"config", shown_configuration(at == 0 ? found->settings() : all[at]->what,
                                                        found->session->options().user_id)}});
    co_return http::json_response(page_answer(*which, std::move(items)));
}

}  // namespace

void add_session_routes(http::router& routes, const std::shared_ptr<context>& with) {
    using http::scope;
    add_route(routes, with, "POST", "", scope::session, create);
    add_route(routes, with, "GET", "/{}", http::scope::execute, get);
    add_route(routes, with, "PATCH", "/{}", scope::session, patch);
    add_route(routes, with, "DELETE", "/{}", scope::session, remove);
    add_route(routes, with, "POST", "/{}/attach", scope::execute, attach);
    add_route(routes, with, "GET", "/{}/config_history", scope::execute, history);
}

}  // namespace gateway::api::composio
