#include "gateway/server/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace gateway::server {
namespace {

milliseconds seconds(config::integer value) { return std::chrono::seconds(value); }

std::size_t size(config::integer value) { return static_cast<std::size_t>(value); }

std::string base_of_links(const config::config& from) {
    return from.server.base_url.ends_with('/') ? from.server.base_url : from.server.base_url + "/";
}

sessions::correction_mode to_correction_mode(const std::string& name) {
    if (name == "off") return sessions::correction_mode::off;
    return name == "report" ? sessions::correction_mode::report : sessions::correction_mode::on;
}

sessions::sandbox_sizes to_sizes(const config::sizes_section& from, const kernel::limits_notice& enforced,
                                 bool has_disk) {
    auto make = [&](const char* name, const config::size_limits& size) {
        return sessions::sandbox_size{name,
                                      std::llround(size.cpus * 1000),
                                      size.memory_bytes,
                                      size.pids,
                                      enforced.cpu,
                                      enforced.memory,
                                      enforced.pids,
                                      enforced.no_landlock.empty(),
                                      size.disk_bytes,
                                      size.files_bytes,
                                      has_disk};
    };
    return {{make("standard", from.standard), make("medium", from.medium), make("large", from.large),
             make("xlarge", from.xlarge)},
            make(sessions::jupyter_size, from.jupyter)};
}

}  // namespace

http::server_options to_http_options(const config::config& from) {
    const auto& server = from.server;
    http::server_options out;
    out.host = server.host;
    out.port = static_cast<std::uint16_t>(server.port);
    out.base_url = server.base_url;
    out.tls_certificate = server.tls_certificate;
    out.tls_key = server.tls_key;
    out.tls_client_ca = server.tls_client_ca;
    out.trust_xheaders = server.trust_xheaders;
    out.allow_remote_access = server.allow_remote_access;
    out.local_hostnames = server.local_hostnames;
    out.allow_origin = server.allow_origin;
    out.allow_origin_pattern = server.allow_origin_pattern;
    out.allow_credentials = server.allow_credentials;
    out.allow_headers = server.allow_headers;
    out.allow_methods = server.allow_methods;
    out.expose_headers = server.expose_headers;
    out.max_age = server.max_age;
    out.max_body_bytes = size(server.max_body_bytes);
    out.max_header_bytes = size(server.max_header_bytes);
    out.ws_max_message_bytes = size(server.ws_max_message_bytes);
    out.ws_ping_interval_s = static_cast<int>(server.ws_ping_interval_s);
    out.request_header_timeout_s = static_cast<int>(server.request_header_timeout_s);
    out.idle_connection_timeout_s = static_cast<int>(server.idle_connection_timeout_s);
    out.stall_timeout_s = static_cast<int>(server.stall_timeout_s);
    out.min_bytes_per_s = size(server.min_bytes_per_s);
    out.max_connections = size(server.max_connections);
    return out;
}

kernels::kernel_limits to_kernel_limits(const config::config& from) {
    kernels::kernel_limits out;
    out.launch_timeout = seconds(from.kernels.launch_timeout_s);
    out.restart_limit = static_cast<int>(from.kernels.restart_limit);
    return out;
}

sessions::session_limits to_session_limits(const config::config& from, const kernel::limits_notice& enforced,
                                           bool has_disk) {
    sessions::session_limits out;
    out.cell_timeout = seconds(from.sessions.cell_timeout_s);
    out.cell_grace = milliseconds(from.sessions.cell_grace_ms);
    out.text_limit_chars = size(from.sessions.text_limit_chars);
    out.text_file_max_bytes = size(from.sessions.text_file_max_bytes);
    out.idempotency = seconds(from.sessions.idempotency_s);
    out.shell.timeout = seconds(from.sessions.command_timeout_s);
    out.shell.running = size(from.sessions.max_commands);
    out.shell.ends.grace = milliseconds(from.sessions.cell_grace_ms);
    out.cells.agents.error_correction = to_correction_mode(from.sessions.error_correction);
    out.cells.agents.install = from.packages.agents;
    out.cells.jupyter.install = from.packages.jupyter;
    out.cells.jupyter.error_correction = to_correction_mode(from.sessions.jupyter_error_correction);
    out.sizes = to_sizes(from.sizes, enforced, has_disk);
    out.log.memory_bytes = size(from.output_log.memory_bytes);
    out.log.read_keep_bytes = size(from.output_log.read_keep_bytes);
    out.log.disk_bytes = size(from.output_log.disk_bytes);
    return out;
}

sessions::registry_limits to_registry_limits(const config::config& from) {
    sessions::registry_limits out;
    out.max_kernels = size(from.kernels.max);
    out.max_kernels_per_user = size(from.kernels.max_per_user);
    out.alias_idle = seconds(from.sessions.alias_idle_timeout_s);
    out.idle_timeout = seconds(from.sessions.idle_timeout_s);
    out.lifetime = seconds(from.sessions.lifetime_s);
    return out;
}

sessions::culling_rules to_culling_rules(const config::config& from) {
    sessions::culling_rules out;
    out.idle = seconds(from.culling.idle_timeout_s);
    out.busy = seconds(from.culling.busy_timeout_s);
    out.connected = from.culling.connected;
    out.busy_counts_as_idle = from.culling.busy;
    out.interval = seconds(from.culling.interval_s);
    return out;
}

api::jupyter::jupyter_options to_jupyter_options(const config::config& from) {
    api::jupyter::jupyter_options out;
    out.base_url = base_of_links(from);
    out.force_kernel_name = from.kernels.force_name;
    out.listing = from.kernels.listing;
    out.client_env = from.kernels.client_env;
    out.binary_to_legacy_clients = from.kernels.buffers_to_legacy_clients == "binary";
    return out;
}

api::agent::agent_options to_agent_options(const config::config& from) {
    api::agent::agent_options out;
    out.base_url = base_of_links(from);
    out.text_limit_chars = size(from.sessions.text_limit_chars);
    out.text_file_max_bytes = size(from.sessions.text_file_max_bytes);
    out.max_network_rules = size(from.network.max_rules);
    return out;
}

api::composio::service_options to_composio_options(const config::config& from) {
    api::composio::service_options out;
    out.base_url = base_of_links(from);
    out.text_limit_chars = size(from.sessions.text_limit_chars);
    out.text_file_max_bytes = size(from.sessions.text_file_max_bytes);
    out.max_network_rules = size(from.network.max_rules);
    return out;
}

std::vector<std::string> to_writable_places(const config::config& from) {
    std::vector<std::string> made;
    for (const auto& [name, each] : from.mounts)
        if (each.writable) made.push_back(each.directory);
    return made;
}

std::vector<std::string> to_guarded_roots(const config::config& from) {
    return ::geteuid() == 0 ? from.kernels.work_roots : std::vector<std::string>();
}

std::vector<std::string> to_hidden_places(const config::config& from) {
    std::vector<std::string> made = {from.storage.data_dir, from.storage.runtime_dir};
    for (const auto* each : {&from.file, &from.accounts.key_file, &from.server.tls_key, &from.llm.api_key_file,
                             &from.search.api_key_file, &from.tools.composio.api_key_file})
        if (!each->empty()) made.push_back(*each);
    return made;
}

std::vector<mounts::named_mount> to_named_mounts(const config::config& from) {
    std::vector<mounts::named_mount> made;
    for (const auto& [name, each] : from.mounts) made.push_back({name, each.directory, each.at, each.writable});
    return made;
}

files::link_rules to_link_rules(const config::config& from) {
    return {from.server.public_url, base_of_links(from), std::chrono::seconds(from.storage.link_max_s)};
}

packages::installer_settings to_installer_settings(const config::config& from, const std::string& data_dir) {
    const auto& section = from.packages;
    packages::installer_settings out;
    out.allow = section.allow;
    out.index = {section.index_url, section.extra_index_urls, section.find_links, section.trusted_hosts};
    out.deadline = seconds(section.deadline_s);
    out.max_bytes = static_cast<std::uint64_t>(section.max_bytes);
    out.max_distributions = size(section.max_distributions);
    out.cache_bytes = static_cast<std::uint64_t>(section.cache_bytes);
    out.at_once = size(section.at_once);
    out.directory = data_dir + "/packages";
    out.package_dir = from.kernels.package_dir;
    for (char** each = environ; *each != nullptr; ++each) {
        const std::string_view line = *each;
        if (auto equals = line.find('='); equals != line.npos)
            out.inherited_env.emplace(line.substr(0, equals), line.substr(equals + 1));
    }
    return out;
}

std::vector<tools::toolkit_options> to_toolkits(const config::config& from) {
    std::vector<tools::toolkit_options> out;
    for (const auto& [name, toolkit] : from.tools.toolkits) {
        tools::toolkit_options made;
        made.name = name;
        made.command = toolkit.command;
        made.url = toolkit.url;
        made.env = toolkit.env;
        made.headers = toolkit.headers;
        made.timeout = seconds(toolkit.timeout_s > 0 ? toolkit.timeout_s : from.tools.timeout_s);
        made.max_result_bytes = static_cast<std::size_t>(from.tools.max_result_bytes);
        out.push_back(std::move(made));
    }
    return out;
}

tools::composio_options to_upstream_options(const config::config& from) {
    const auto& composio = from.tools.composio;
    tools::composio_options out;
    out.base_url = composio.base_url;
    out.api_key = composio.api_key;
    out.toolkits = composio.toolkits;
    out.tools = composio.tools;
    out.user_id = composio.user_id;
    out.timeout = seconds(from.tools.timeout_s);
    out.max_result_bytes = size(from.tools.max_result_bytes);
    return out;
}

tools::model_options to_model_options(const config::config& from) {
    const auto& llm = from.llm;
    tools::model_options out;
    out.base_url = llm.base_url;
    out.api_key = llm.api_key;
    out.name = llm.model;
    out.timeout = seconds(llm.timeout_s);
    out.max_tokens = size(llm.max_tokens);
    out.max_characters = size(llm.max_query_chars);
    out.max_answer_bytes = size(llm.max_answer_bytes);
    out.per_session.calls = size(llm.max_calls_per_session);
    out.per_session.tokens = size(llm.max_tokens_per_session);
    out.per_session.concurrent = size(llm.max_concurrent_per_session);
    return out;
}

tools::search_options to_search_options(const config::config& from) {
    const auto& search = from.search;
    tools::search_options out;
    out.provider = tools::find_search_provider(search.provider).value_or(tools::search_provider::none);
    out.url = search.url;
    out.api_key = search.api_key;
    out.max_results = static_cast<int>(search.max_results);
    out.timeout = seconds(search.timeout_s);
    out.max_answer_bytes = size(search.max_answer_bytes);
    out.per_session.calls = size(search.max_calls_per_session);
    out.per_session.concurrent = size(search.max_concurrent_per_session);
    return out;
}

accounts::account_rules to_account_rules(const config::config& from) { return {from.accounts.plain_http}; }

result<accounts::link_rules> to_connecting_rules(const config::config& from) {
    const auto& section = from.accounts;
    accounts::link_rules out;
    out.most_per_user = size(section.max_links_per_user);
    out.life = std::chrono::seconds(section.link_timeout_s);
    for (const auto& [name, service] : section.services) {
        accounts::account made;
        made.toolkit = name;
        made.base_url = service.base_url;
        made.hosts = service.hosts;
        made.scheme = accounts::find_scheme(service.auth_scheme).value_or(made.scheme);
        made.place = accounts::find_place(service.in).value_or(made.place);
        made.parameter = service.name;
        made.prefix = service.prefix;
        auto good = accounts::checked_service(std::move(made), to_account_rules(from));
        if (!good) return failure{errc::invalid_request, "accounts.services." + name + ": " + good.error().message};
        out.services.emplace(name, std::move(*good));
    }
    return out;
}

accounts::proxy_options to_proxy_options(const config::config& from) {
    const auto& section = from.accounts;
    accounts::proxy_options out;
    for (const auto& each : section.allow_networks) out.reach.named.push_back(outbound::parse_network(each).value());
    out.timeout = seconds(section.timeout_s);
    out.max_response_bytes = size(section.max_response_bytes);
    out.per_session.calls = size(section.max_calls_per_session);
    out.per_session.concurrent = size(section.max_concurrent_per_session);
    return out;
}

std::string to_preload_metadata(const config::config& from) {
    auto longest = std::max({from.tools.timeout_s, from.llm.timeout_s, from.search.timeout_s, from.accounts.timeout_s});
    for (const auto& [name, toolkit] : from.tools.toolkits) longest = std::max(longest, toolkit.timeout_s);
    return "{\"tool_timeout_s\":" + std::to_string(longest) + "}";
}

std::map<std::string, std::string> to_inherited_env(const config::config& from) {
    std::map<std::string, std::string> out;
    for (const auto& name : from.kernels.inherited_env)
        if (const char* value = std::getenv(name.c_str())) out[name] = value;
    return out;
}

std::vector<std::string> to_read_only_paths(const config::config& from) {
    auto out = from.kernels.prefixes;
    out.insert(out.end(), from.kernels.read_only_paths.begin(), from.kernels.read_only_paths.end());
    return out;
}

std::vector<std::string> to_kernelspec_directories(const config::config& from) {
    auto out = from.kernels.kernelspec_dirs;
    for (auto& each : kernels::kernelspec_directories(from.kernels.prefixes)) out.push_back(std::move(each));
    return out;
}

kernels::python3_kernel to_python3_kernel(const config::config& from) {
    return from.kernels.python3 == "ipykernel" ? kernels::python3_kernel::installed : kernels::python3_kernel::own;
}

}  // namespace gateway::server
