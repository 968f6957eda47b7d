#include "gateway/config/table.hpp"

#include "gateway/config/rules.hpp"
#include "gateway/config/service_settings.hpp"

namespace gateway::config {
namespace {

using namespace rules;

template <auto section, auto member>
field at(config& of) {
    return &((of.*section).*member);
}
template <auto member>
constexpr auto server = at<&config::server, member>;
template <auto member>
constexpr auto storage = at<&config::storage, member>;
template <auto member>
constexpr auto kernels = at<&config::kernels, member>;
template <auto member>
constexpr auto culling = at<&config::culling, member>;
template <auto member>
constexpr auto sessions = at<&config::sessions, member>;
template <auto member>
constexpr auto output_log = at<&config::output_log, member>;
template <auto member>
constexpr auto tools = at<&config::tools, member>;
template <auto member>
constexpr auto packages = at<&config::packages, member>;

using S = server_section;
using T = storage_section;
using K = kernels_section;
using C = culling_section;
using E = sessions_section;
using L = output_log_section;
using P = packages_section;

constexpr integer many = 1'000'000;

std::vector<setting> server_settings() {
    return {
        {"server.host",
         server<&S::host>,
         text("a host name or an address",
              [](const std::string& host) { return !host.empty() && host.find(' ') == host.npos; }),
         "Address to listen on; 0.0.0.0 for every IPv4 interface",
         {},
         "--host"},
        {"server.port", server<&S::port>, number(0, 65'535), "Port to listen on; 0 picks a free one", {}, "--port"},
        {"server.base_url",
         server<&S::base_url>,
         text("a path in lower case that begins with /", is_base_url),
         "Path below which everything is served",
         {},
         "--base-url"},
        {"server.public_url", server<&S::public_url>, text("an http or https URL, or empty", is_http_url),
         "The URL that clients reach the gateway by, when a proxy stands before it; used in links"},
        {"server.tls_certificate", server<&S::tls_certificate>, path("a readable PEM file", is_readable_file),
         "Certificate chain; with tls_key it switches TLS on"},
        {"server.tls_key", server<&S::tls_key>, path("a readable PEM file", is_readable_file),
         "Private key of tls_certificate"},
        {"server.tls_client_ca", server<&S::tls_client_ca>, path("a readable PEM file", is_readable_file),
         "Clients must show a certificate signed by one of these"},
        {"server.auth",
         server<&S::auth>,
         one_of({"keys", "none"}),
         "none: every caller is an administrator; only on a loopback host",
         {},
         "--auth"},
        {"server.token", server<&S::token>, text("visible ASCII characters, or empty", is_key),
         "An administrator's key, kept in memory only", "a fresh one at each start", "--token", true},
        {"server.allow_origin", server<&S::allow_origin>,
         text("an origin such as https://lab.example.org, *, or empty", is_origin),
         "Origin whose pages may call the gateway; empty: the gateway's own"},
        {"server.allow_origin_pattern", server<&S::allow_origin_pattern>,
         text("a regular expression", is_regular_expression),
         "As allow_origin, for every origin that the expression matches as a whole"},
        {"server.allow_credentials", server<&S::allow_credentials>, any(),
         "Sends Access-Control-Allow-Credentials: true"},
        {"server.allow_headers", server<&S::allow_headers>, text("a header value", is_header_value),
         "Access-Control-Allow-Headers"},
        {"server.allow_methods", server<&S::allow_methods>, text("a header value", is_header_value),
         "Access-Control-Allow-Methods"},
        {"server.expose_headers", server<&S::expose_headers>, text("a header value", is_header_value),
         "Access-Control-Expose-Headers"},
        {"server.max_age", server<&S::max_age>, text("a header value", is_header_value), "Access-Control-Max-Age"},
        {"server.trust_xheaders", server<&S::trust_xheaders>, any(),
         "Believe X-Forwarded-For and X-Forwarded-Proto; only behind a proxy that sets them"},
        {"server.allow_remote_access", server<&S::allow_remote_access>, any(),
         "Accept a Host header that is neither an address nor one of local_hostnames"},
        {"server.local_hostnames", server<&S::local_hostnames>, any(), "Host names that count as local"},
        {"server.max_body_bytes", server<&S::max_body_bytes>, bytes(1024), "Largest request body"},
        {"server.max_header_bytes", server<&S::max_header_bytes>, number(4096, 16'777'216),
         "Largest head of a request: its URL and all headers"},
        {"server.ws_max_message_bytes", server<&S::ws_max_message_bytes>, bytes(1024),
         "Largest WebSocket message from a client; a larger one closes the socket with 1009"},
        {"server.ws_ping_interval_s", server<&S::ws_ping_interval_s>, seconds(),
         "Seconds between pings to a quiet client; 0: off"},
        {"server.request_header_timeout_s", server<&S::request_header_timeout_s>, positive_seconds(),
         "Seconds that a request's head may take to arrive, and TLS's handshake before the first"},
        {"server.idle_connection_timeout_s", server<&S::idle_connection_timeout_s>, positive_seconds(),
         "Seconds that a connection may stay open without a request"},
        {"server.stall_timeout_s", server<&S::stall_timeout_s>, number(1, 3600),
         "Seconds that a client may be silent in the middle of a body, or not read its answer"},
        {"server.min_bytes_per_s", server<&S::min_bytes_per_s>, number(0, many),
         "Bytes a second that a body must come, and an answer be read, in the long run; 0: no limit"},
        {"server.max_connections", server<&S::max_connections>, number(1, many),
         "Connections at once; one more ends the one that has waited longest for a request"},
        {"server.log_level",
         server<&S::log_level>,
         one_of({"debug", "info", "warning", "error"}),
         "Least important line that is logged",
         {},
         "--log-level"},
    };
}

std::vector<setting> storage_settings() {
    return {
        {"storage.data_dir", storage<&T::data_dir>, path("a path"), "Keys, and the sessions' files and logs",
         "$XDG_DATA_HOME/cellgate, or ~/.local/share/cellgate", "--data-dir"},
        {"storage.runtime_dir", storage<&T::runtime_dir>, path("a path"),
         "Sockets and connection files of running kernels",
         "$XDG_RUNTIME_DIR/cellgate, DATA_DIR/run as root, or /tmp/cellgate-UID", "--runtime-dir"},
        {"storage.keep_files", storage<&T::keep_files>, any(), "Keep a session's directories when it ends"},
        {"storage.link_max_s", storage<&T::link_max_s>, positive_seconds(), "Longest life of a signed link to a file"},
        {"storage.disk", storage<&T::disk>, one_of({"auto", "none"}),
         "auto: sessions' files lie in an image in which they have limits, where that is possible; none: beside it"},
        {"storage.disk_image_bytes", storage<&T::disk_image_bytes>, bytes(0),
         "Size of that image, 256 MiB or more; it never shrinks; 0: half of what is free when it is made"},
    };
}

std::vector<setting> kernels_settings() {
    auto directory = path("an existing directory", is_directory);
    return {
        {"kernels.default", kernels<&K::default_name>,
         text("a kernelspec's name", [](const std::string& name) { return !name.empty() && is_kernel_name(name); }),
         "Kernelspec of a session that names none; where cellgate is not installed, python3"},
        {"kernels.python3", kernels<&K::python3>, one_of({"cellgate", "ipykernel"}),
         "What the name python3 starts where both are installed; with cellgate the other is offered as ipykernel"},
        {"kernels.force_name", kernels<&K::force_name>, text("a kernelspec's name, or empty", is_kernel_name),
         "Kernelspec used whatever a client asks for"},
        {"kernels.listing", kernels<&K::listing>, any(), "Answer GET /api/kernels; JupyterLab needs it"},
        {"kernels.max", kernels<&K::max>, number(0, many),
         "Kernels at once, without the pool's and attached ones; 0: no limit"},
        {"kernels.max_per_user", kernels<&K::max_per_user>, number(0, many),
         "Kernels at once of one user; 0: no limit"},
        {"kernels.launch_timeout_s", kernels<&K::launch_timeout_s>, positive_seconds(),
         "Seconds from a kernel's start to its first kernel_info_reply"},
        {"kernels.restart_limit", kernels<&K::restart_limit>, number(0, 1000),
         "Deaths in a row after which a kernel stays dead"},
        {"kernels.isolation", kernels<&K::isolation>, one_of({"full", "none"}),
         "none: what runs in a box keeps the rights of the gateway's user; a box is no boundary then"},
        {"kernels.require_limits", kernels<&K::require_limits>, any(),
         "Do not start on a machine that cannot enforce processors, memory and pids of sandboxes"},
        {"kernels.first_uid", kernels<&K::first_uid>, number(1000, 4'294'901'759),
         "Under root: first of the user and group ids that boxes have, which are nobody else's"},
        {"kernels.uid_count", kernels<&K::uid_count>, number(1, 65'536), "Under root: how many; each box has its own"},
        {"kernels.kernelspec_dirs", kernels<&K::kernelspec_dirs>, directory,
         "Directories that hold NAME/kernel.json, looked at before Jupyter's own"},
        {"kernels.prefixes", kernels<&K::prefixes>, directory, "Python environments whose kernelspecs are offered"},
        {"kernels.read_only_paths", kernels<&K::read_only_paths>, directory,
         "Host directories that every kernel sees, read-only, at the same path"},
        {"kernels.inherited_env", kernels<&K::inherited_env>, text("a variable's name", is_variable_name),
         "Variables of the gateway that kernels get"},
        {"kernels.client_env", kernels<&K::client_env>,
         text("a variable's name, whose last character may be *", is_variable_pattern),
         "Variables that a client may set for the kernel it starts"},
        {"kernels.work_roots", kernels<&K::work_roots>, directory,
         "Host directories below which a Jupyter client's kernel may have its working directory"},
        {"kernels.buffers_to_legacy_clients", kernels<&K::buffers_to_legacy_clients>, one_of({"strip", "binary"}),
         "Messages with buffers to jupyter_server's gateway client, which cannot read them: without the buffers, or as "
         "they are"},
        {"kernels.pool", kernels<&K::pool>, number(0, 1000),
         "Warm kernels kept ready for each kernelspec, NAME = COUNT"},
        {"kernels.jupyter_pool", kernels<&K::jupyter_pool>, number(0, 1000),
         "The same for kernels that Jupyter clients start, where their network is another (network.jupyter); else the "
         "two are one pool"},
        {"kernels.package_dir", kernels<&K::package_dir>, path("a directory that holds cellgate_kernel"),
         "Where the Python package of the kernels is", "beside the program or its source"},
        {"kernels.launcher", kernels<&K::launcher>, path("an executable file"),
         "The program that starts kernels in their boxes", "cellgate-launcher, beside the program"},
    };
}

std::vector<setting> culling_settings() {
    return {
        {"culling.idle_timeout_s", culling<&C::idle_timeout_s>, seconds(),
         "Seconds without activity after which a kernel that a Jupyter client started ends; 0: never"},
        {"culling.busy_timeout_s", culling<&C::busy_timeout_s>, seconds(),
         "Seconds that such a kernel may be busy at a stretch; 0: no limit"},
        {"culling.connected", culling<&C::connected>, any(),
         "Both also count for kernels that a client is connected to"},
        {"culling.busy", culling<&C::busy>, any(), "The idle timeout also counts for busy kernels"},
        {"culling.interval_s", culling<&C::interval_s>, positive_seconds(), "Seconds between two looks"},
    };
}

std::vector<setting> sessions_settings() {
    return {
        {"sessions.cell_timeout_s", sessions<&E::cell_timeout_s>, seconds(),
         "Deadline of an agent's cell, in seconds of running; 0: none"},
        {"sessions.cell_grace_ms", sessions<&E::cell_grace_ms>, number(0, 600'000),
         "Milliseconds from the interrupt at the deadline (of a command: SIGTERM) to the kill"},
        {"sessions.command_timeout_s", sessions<&E::command_timeout_s>, seconds(),
         "Deadline of a command that names none, in seconds; 0: none"},
        {"sessions.max_commands", sessions<&E::max_commands>, number(1, 1'000),
         "Commands that may run in a session at once"},
        {"sessions.idle_timeout_s", sessions<&E::idle_timeout_s>, seconds(),
         "Seconds without activity after which an agent's session ends; 0: never"},
        {"sessions.lifetime_s", sessions<&E::lifetime_s>, seconds(),
         "Seconds after which an agent's session ends in any case; 0: never"},
        {"sessions.text_limit_chars", sessions<&E::text_limit_chars>, number(1, 1'000'000'000),
         "Characters of a text that a cell's record keeps; all of it goes to a file"},
        {"sessions.text_file_max_bytes", sessions<&E::text_file_max_bytes>, bytes(), "Largest such file"},
        {"sessions.idempotency_s", sessions<&E::idempotency_s>, seconds(),
         "Seconds that a finished cell answers to its idempotency key"},
        {"sessions.kept_cells_bytes", sessions<&E::kept_cells_bytes>, number(0, 1'073'741'824),
         "How much of a session's newest cells is there again after the gateway has started again"},
        {"sessions.alias_idle_timeout_s", sessions<&E::alias_idle_timeout_s>, positive_seconds(),
         "Seconds without a connection after which an attached kernel's id goes"},
        {"sessions.error_correction", sessions<&E::error_correction>, one_of({"on", "report", "off"}),
         "Error correction of agents' cells when neither the cell nor its session says"},
        {"sessions.jupyter_error_correction", sessions<&E::jupyter_error_correction>, one_of({"on", "report", "off"}),
         "Error correction of Jupyter clients' cells; a session that was made with less has less"},
    };
}

std::vector<setting> output_log_settings() {
    return {
        {"output_log.memory_bytes", output_log<&L::memory_bytes>, bytes(65'536),
         "Memory of one session's log; the rest is on disk"},
        {"output_log.read_keep_bytes", output_log<&L::read_keep_bytes>, bytes(0),
         "What stays in memory of what every connected client has read"},
        {"output_log.disk_bytes", output_log<&L::disk_bytes>, bytes(0),
         "Disk of one session's log; past it the oldest goes, with a gap"},
        {"output_log.total_memory_bytes", output_log<&L::total_memory_bytes>, bytes(65'536), "Memory of all logs"},
        {"output_log.total_disk_bytes", output_log<&L::total_disk_bytes>, bytes(0), "Disk of all logs"},
    };
}

std::vector<setting> packages_settings() {
    return {
        {"packages.agents", packages<&P::agents>, any(), "Install what an agent's cell imports and is missing"},
        {"packages.jupyter", packages<&P::jupyter>, any(), "As packages.agents, for Jupyter clients' cells"},
        {"packages.allow", packages<&P::allow>, text("a distribution's name, known or *", is_distribution),
         "Distributions that may be installed, %pip included; known: those of a list of well-known ones, *: every one"},
        {.key = "packages.index_url",
         .at = packages<&P::index_url>,
         .allowed = text("an http or https URL, or empty", is_http_url),
         .description = "Package index. When this and the three below are empty, where pip on this machine looks",
         .secret = true},
        {.key = "packages.extra_index_urls",
         .at = packages<&P::extra_index_urls>,
         .allowed = text("an http or https URL", is_http_url),
         .description = "Package indexes besides it",
         .secret = true},
        {.key = "packages.find_links",
         .at = packages<&P::find_links>,
         .allowed = text("a directory's absolute path, or a URL, without spaces", is_link),
         .description = "Directories and pages with wheels; without an index_url only these",
         .secret = true},
        {"packages.trusted_hosts", packages<&P::trusted_hosts>, text("a host name", is_host),
         "Hosts of an index that need no valid certificate"},
        {"packages.deadline_s", packages<&P::deadline_s>, positive_seconds(), "Seconds that an installation may take"},
        {"packages.max_bytes", packages<&P::max_bytes>, bytes(1'000'000), "Largest size of one session's packages"},
        {"packages.max_distributions", packages<&P::max_distributions>, number(1, 10'000),
         "Distributions that one cell or %pip may install, with what they need"},
        {"packages.cache_bytes", packages<&P::cache_bytes>, bytes(0), "Disk for what was downloaded, of all sessions"},
        {"packages.at_once", packages<&P::at_once>, number(1, 100), "Installations at the same time"},
    };
}

std::vector<setting> tools_settings() {
    return {
        {"tools.timeout_s", tools<&tools_section::timeout_s>, positive_seconds(), "Seconds that a tool call may take"},
        {"tools.max_result_bytes", tools<&tools_section::max_result_bytes>, bytes(1024), "Largest answer of a tool"},
    };
}

std::vector<setting> make_settings() {
    std::vector<setting> all;
    for (auto section :
         {server_settings(), storage_settings(), kernels_settings(), culling_settings(), sessions_settings(),
          size_settings(), network_settings(), output_log_settings(), tools_settings(), composio_settings(),
          packages_settings(), accounts_settings(), llm_settings(), search_settings()}) {
        all.insert(all.end(), section.begin(), section.end());
    }
    return all;
}

}  // namespace

const std::vector<setting>& settings() {
    static const std::vector<setting> all = make_settings();
    return all;
}

}  // namespace gateway::config
