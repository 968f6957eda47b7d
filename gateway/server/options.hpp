// The configuration's values as the parts take them. Pure; called once by the server.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gateway/accounts/proxy.hpp"
#include "gateway/api/agent/routes.hpp"
#include "gateway/api/composio/routes.hpp"
#include "gateway/api/jupyter/routes.hpp"
#include "gateway/config/config.hpp"
#include "gateway/http/server.hpp"
#include "gateway/kernels/kernel.hpp"
#include "gateway/packages/installer.hpp"
#include "gateway/sessions/live_registry.hpp"
#include "gateway/tools/composio_tools.hpp"
#include "gateway/tools/model.hpp"
#include "gateway/tools/toolbox.hpp"
#include "gateway/tools/web_search.hpp"

namespace gateway::server {

http::server_options to_http_options(const config::config& from);
kernels::kernel_limits to_kernel_limits(const config::config& from);
// `enforced`: what of the sizes the launcher can keep sandboxes to; `has_disk`: whether their files have limits.
sessions::session_limits to_session_limits(const config::config& from, const kernel::limits_notice& enforced,
                                           bool has_disk);
sessions::registry_limits to_registry_limits(const config::config& from);
sessions::culling_rules to_culling_rules(const config::config& from);
api::jupyter::jupyter_options to_jupyter_options(const config::config& from);
api::agent::agent_options to_agent_options(const config::config& from);
api::composio::service_options to_composio_options(const config::config& from);
// Directories of the host that every session may write to.
std::vector<std::string> to_writable_places(const config::config& from);
// And those that Jupyter clients may, under root: an ordinary user's give away nothing but that user's.
std::vector<std::string> to_guarded_roots(const config::config& from);
// What no box shows: directories and files with secrets.
std::vector<std::string> to_hidden_places(const config::config& from);
std::vector<mounts::named_mount> to_named_mounts(const config::config& from);
files::link_rules to_link_rules(const config::config& from);
// `data_dir` as it was claimed.
packages::installer_settings to_installer_settings(const config::config& from, const std::string& data_dir);
std::vector<tools::toolkit_options> to_toolkits(const config::config& from);
tools::composio_options to_upstream_options(const config::config& from);
tools::model_options to_model_options(const config::config& from);
tools::search_options to_search_options(const config::config& from);
accounts::account_rules to_account_rules(const config::config& from);
// [accounts.services.NAME], by NAME. invalid_request names the setting.
result<accounts::link_rules> to_connecting_rules(const config::config& from);
accounts::proxy_options to_proxy_options(const config::config& from);
// What the package in a kernel is told besides its key: how long a tool call may take.
std::string to_preload_metadata(const config::config& from);
// Of this process's environment, the variables that kernels.inherited_env names.
std::map<std::string, std::string> to_inherited_env(const config::config& from);
// What every box shows at the same path: kernels.prefixes, since a kernelspec of one may start its interpreter through
// another program, and kernels.read_only_paths.
std::vector<std::string> to_read_only_paths(const config::config& from);
// Where kernelspecs are looked for: kernels.kernelspec_dirs, kernels.prefixes, then where Jupyter looks.
std::vector<std::string> to_kernelspec_directories(const config::config& from);
kernels::python3_kernel to_python3_kernel(const config::config& from);

}  // namespace gateway::server
