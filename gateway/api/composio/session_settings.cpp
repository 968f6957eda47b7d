#include "gateway/api/composio/session_settings.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/api/composio/json_reading.hpp"
#include "gateway/sessions/proxy_execution.hpp"

namespace gateway::api::composio {
namespace {

workbench_settings actual(workbench_settings kept, const sessions::session& of) {
    kept.enable = of.has_sandbox();
    kept.size = of.size().name;
    // A sandbox that says nothing leaves it to the configuration.
    kept.proxy_execution = sessions::proxy_execution_of(of.options().sandbox).value_or(kept.proxy_execution);
    return kept;
}

json sandbox_object(const workbench_settings& from) {
    return {{"enable", from.enable}, {"sandbox_size", from.size}, {"enable_proxy_execution", from.proxy_execution}};
}

}  // namespace

std::shared_ptr<const configuration_version> with_sandbox(std::shared_ptr<const configuration_version> kept,
                                                          const sessions::session& of) {
    auto workbench = actual(kept->what.workbench, of);
    if (workbench == kept->what.workbench) return kept;
    auto made = std::make_shared<configuration_version>(*kept);
    auto document = json::parse(made->what.document);
    auto section = document.value("workbench", json::object());
    section.update(sandbox_object(workbench));
    document["workbench"] = std::move(section);
    made->what.document = to_text(document);
    made->what.workbench = std::move(workbench);
    return made;
}

account_rights rights_of(const configuration& settings, const sessions::session& which) {
    return {settings.workbench.proxy_execution, {which.options().user_id, settings.pinned_accounts}};
}

std::string sandbox_text(const workbench_settings& from) { return to_text(sandbox_object(from)); }

}  // namespace gateway::api::composio
