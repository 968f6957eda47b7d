// What the gateway was told: every setting with its default, and where it is read from. Values, made once by main
// before anything else runs. table.hpp has the same settings as data; docs/configuration.md is generated from it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace gateway::config {

using integer = std::int64_t;
using decimal = double;
using strings = std::vector<std::string>;

struct server_section {
    std::string host = "127.0.0.1";
    integer port = 8888;  // 0 picks a free one
    std::string base_url = "/";
    std::string public_url;
    std::string tls_certificate;
    std::string tls_key;
    std::string tls_client_ca;
    std::string auth = "keys";  // or "none", on a loopback host only
    std::string token;          // an admin key that is kept in memory only
    std::string allow_origin;
    std::string allow_origin_pattern;
    bool allow_credentials = false;
    std::string allow_headers;
    std::string allow_methods;
    std::string expose_headers;
    std::string max_age;
    bool trust_xheaders = false;
    bool allow_remote_access = false;
    strings local_hostnames = {"localhost"};
    integer max_body_bytes = 536'870'912;
    integer max_header_bytes = 65'536;
    integer ws_max_message_bytes = 134'217'728;
    integer ws_ping_interval_s = 30;
    integer request_header_timeout_s = 30;
    integer idle_connection_timeout_s = 120;
    integer stall_timeout_s = 60;
    integer min_bytes_per_s = 240;
    integer max_connections = 10'000;
    std::string log_level = "info";
};

struct storage_section {
    std::string data_dir;     // resolved by load(): never empty after it
    std::string runtime_dir;  // resolved by load()
    bool keep_files = false;
    integer link_max_s = 604'800;
    std::string disk = "none";     // or "auto"
    integer disk_image_bytes = 0;  // 0: half of what is free when it is made
};

struct kernels_section {
    std::string default_name = "cellgate";  // the key is kernels.default
    std::string python3 = "cellgate";       // or "ipykernel"
    std::string force_name;
    bool listing = true;
    integer max = 0;  // 0: no limit
    integer max_per_user = 0;
    integer launch_timeout_s = 60;
    integer restart_limit = 5;
    std::string isolation = "full";  // or "none"
    bool require_limits = false;
    integer first_uid = 2'000'000'000;  // of a gateway that runs as root: its boxes' users
    integer uid_count = 65'536;
    strings kernelspec_dirs;
    strings prefixes;  // Python environments whose kernelspecs are offered
    strings read_only_paths;
    strings inherited_env = {"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ"};
    strings client_env = {"KERNEL_*", "JPY_SESSION_NAME"};
    strings work_roots;
    std::string buffers_to_legacy_clients = "strip";  // or "binary"
    std::map<std::string, integer> pool;              // kernelspec name → warm kernels kept
    std::map<std::string, integer> jupyter_pool;      // the same for Jupyter clients
    std::string package_dir;                          // resolved by load(): holds cellgate_kernel/
    std::string launcher;                             // resolved by load(): the cellgate-launcher executable
};

struct culling_section {
    integer idle_timeout_s = 0;  // 0: off
    integer busy_timeout_s = 0;
    bool connected = false;
    bool busy = false;
    integer interval_s = 30;
};

struct sessions_section {
    integer cell_timeout_s = 180;
    integer cell_grace_ms = 2'000;
    integer command_timeout_s = 180;
    integer max_commands = 32;
    integer idle_timeout_s = 0;
    integer lifetime_s = 0;
    integer text_limit_chars = 40'000;
    integer text_file_max_bytes = 1'073'741'824;
    integer idempotency_s = 300;
    integer kept_cells_bytes = 4'194'304;
    integer alias_idle_timeout_s = 300;
    std::string error_correction = "on";  // or "report", "off"
    std::string jupyter_error_correction = "report";
};

// The network of sessions, and what they may reach unless they are made with a policy of their own.
struct network_section {
    std::string agents = "own";    // or "host"
    std::string jupyter = "host";  // or "own": of kernels that Jupyter clients started
    std::string mode = "none";     // or "allow", "all"
    strings allow;                 // "preset:NAME", "HOST[:PORT]" or "NETWORK/BITS[:PORT]"
    integer max_bytes = 0;         // 0: no ceiling
    strings allow_networks;
    integer max_rules = 200;
    integer max_connections = 64;
    integer max_head_bytes = 32'768;
    integer max_hello_bytes = 65'536;
    integer head_timeout_s = 10;
    integer connect_timeout_s = 10;
    integer idle_timeout_s = 300;
    integer buffer_bytes = 65'536;
    integer max_destinations = 200;
};

struct output_log_section {
    integer memory_bytes = 67'108'864;
    integer read_keep_bytes = 262'144;
    integer disk_bytes = 2'147'483'648;
    integer total_memory_bytes = 536'870'912;
    integer total_disk_bytes = 21'474'836'480;
};

// A directory of this machine that every session sees.
struct named_mount {
    std::string directory;
    std::string at;  // in the sandbox; empty: /mnt/NAME
    bool writable = false;

    bool operator==(const named_mount&) const = default;
};

// An MCP server: exactly one of `command` (stdio) and `url` (Streamable HTTP).
struct toolkit {
    strings command;
    std::string url;
    std::map<std::string, std::string> env;      // of the command
    std::map<std::string, std::string> headers;  // of each request to the url
    integer timeout_s = 0;                       // 0: tools.timeout_s

    bool operator==(const toolkit&) const = default;
};

// Tools of a Composio account.
struct composio_section {
    std::string base_url = "https://backend.composio.dev";
    std::string api_key;  // after load() also what api_key_file holds; empty: none
    std::string api_key_file;
    strings toolkits;
    strings tools;
    std::string user_id;  // empty: the session's own
};

struct tools_section {
    integer timeout_s = 60;
    integer max_result_bytes = 16'777'216;
    std::map<std::string, toolkit> toolkits;  // [tools.toolkits.NAME]
    composio_section composio;
};

struct packages_section {
    bool agents = true;    // install what agents' cells import
    bool jupyter = false;  // and what Jupyter clients' cells do
    strings allow = {"known"};
    std::string index_url;
    strings extra_index_urls;
    strings find_links;
    strings trusted_hosts;
    integer deadline_s = 120;
    integer max_bytes = 2'147'483'648;
    integer max_distributions = 100;
    integer cache_bytes = 10'737'418'240;
    integer at_once = 2;
};

// A service that users connect accounts to.
struct service {
    std::string base_url;
    strings hosts;
    std::string auth_scheme;  // "api_key", "basic" or "bearer"
    std::string in;           // of an api_key: "header" or "query"; empty: the header
    std::string name;         // of that header or parameter
    std::string prefix;

    bool operator==(const service&) const = default;
};

// Connected accounts, and what calls them.
struct accounts_section {
    std::string key_file;  // empty: DATA_DIR/accounts.key
    strings allow_networks;
    bool plain_http = false;
    integer timeout_s = 50;  // less than the 60 after which clients repeat a call
    integer max_response_bytes = 16'777'216;
    integer max_calls_per_session = 0;  // 0: no limit
    integer max_concurrent_per_session = 16;
    integer link_timeout_s = 600;
    integer max_links_per_user = 20;
    std::map<std::string, service> services;  // [accounts.services.NAME]
};

// The model that invoke_llm asks.
struct llm_section {
    std::string base_url;  // empty: none
    std::string model;
    std::string api_key;  // after load() also what api_key_file holds
    std::string api_key_file;
    integer timeout_s = 120;
    integer max_tokens = 0;  // 0: the server's own
    integer max_query_chars = 200'000;
    integer max_answer_bytes = 4'194'304;
    integer max_calls_per_session = 0;  // 0: no limit
    integer max_tokens_per_session = 0;
    integer max_concurrent_per_session = 16;
};

// What web_search asks.
struct search_section {
    std::string provider;  // "searxng", "brave", "tavily" or "exa"; empty: none
    std::string url;       // empty: the provider's own
    std::string api_key;   // after load() also what api_key_file holds
    std::string api_key_file;
    integer max_results = 5;
    integer timeout_s = 30;
    integer max_answer_bytes = 4'194'304;
    integer max_calls_per_session = 0;  // 0: no limit
    integer max_concurrent_per_session = 16;
};

// What a sandbox of that size may have; 0: no limit.
struct size_limits {
    decimal cpus = 1;
    integer memory_bytes = 1'073'741'824;
    integer pids = 256;
    integer disk_bytes = 0;   // in its home
    integer files_bytes = 0;  // at /mnt/files
};

// As many processes as a fork bomb of a kernel can have in less memory than its size: they share, but not all.
struct sizes_section {
    size_limits standard{1, 1'073'741'824, 256, 5'368'709'120, 5'368'709'120};
    size_limits medium{2, 2'147'483'648, 512, 10'737'418'240, 10'737'418'240};
    size_limits large{4, 4'294'967'296, 1'024, 21'474'836'480, 21'474'836'480};
    size_limits xlarge{8, 8'589'934'592, 2'048, 42'949'672'960, 42'949'672'960};
    size_limits jupyter{0, 0, 1'024};  // of kernels that Jupyter clients started
};

struct config {
    server_section server;
    storage_section storage;
    kernels_section kernels;
    culling_section culling;
    sessions_section sessions;
    sizes_section sizes;
    network_section network;
    output_log_section output_log;
    tools_section tools;
    packages_section packages;
    accounts_section accounts;
    llm_section llm;
    search_section search;
    std::map<std::string, named_mount> mounts;  // [mounts.NAME]
    std::string file;                           // that was read, absolute; empty for none
};

// Where settings come from, weakest first: the defaults, the file, CELLGATE_* variables, the command line.
struct sources {
    strings arguments;                               // without the program's name
    std::map<std::string, std::string> environment;  // all of it; only CELLGATE_*, HOME and XDG_* are looked at
    std::string working_directory = ".";             // cellgate.toml is looked for here when --config is not given
    std::string executable;                          // path of this program; launcher and package_dir are found from it
    unsigned uid = 0;
};
sources process_sources(int argc, char** argv);

struct loaded {
    config values;
    std::string file;  // the configuration file that was read, empty for none
    strings command;   // words after the options, e.g. {"keys", "add", "--user", "ana"}; empty: serve
};

// The program must stop: help was asked for (status 0, text for stdout), or the configuration is bad (status 2, text
// for stderr, one line for every error: key, value, where it came from, what is allowed).
struct stop {
    int status = 2;
    std::string text;
};

std::variant<loaded, stop> load(const sources& from);

}  // namespace gateway::config
