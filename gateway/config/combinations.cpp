#include <unistd.h>

#include <fstream>

#include "gateway/config/assembly.hpp"
#include "gateway/config/rules.hpp"

namespace gateway::config {
namespace {

void check_auth(assembly& all) {
    const auto& server = all.values.server;
    if (server.auth == "none" && !is_loopback(server.host)) {
        all.refuse_combination(
            "server.auth",
            "\"keys\" unless server.host is 127.0.0.1, ::1 or localhost, and it is \"" + server.host + "\"");
    }
}

void check_tls(assembly& all) {
    const auto& server = all.values.server;
    if (server.tls_certificate.empty() != server.tls_key.empty()) {
        auto missing = server.tls_key.empty() ? "server.tls_key" : "server.tls_certificate";
        all.refuse_combination(missing, "set too: TLS needs both a certificate and its key");
    }
    if (!server.tls_client_ca.empty() && server.tls_certificate.empty()) {
        all.refuse_combination("server.tls_client_ca", "empty unless server.tls_certificate is set");
    }
}

void check_cors(assembly& all) {
    const auto& server = all.values.server;
    if (server.allow_credentials && server.allow_origin == "*") {
        all.refuse_combination(
            "server.allow_credentials",
            "false while server.allow_origin is \"*\": any page could act with a visitor's credentials");
    }
}

void check_log(assembly& all) {
    const auto& log = all.values.output_log;
    if (log.read_keep_bytes > log.memory_bytes) {
        all.refuse_combination("output_log.read_keep_bytes",
                               "at most output_log.memory_bytes, which is " + std::to_string(log.memory_bytes));
    }
}

// Only what was given: the defaults are found, and the parts that need them say what is missing.
void check_programs(assembly& all) {
    const auto& kernels = all.values.kernels;
    if (!kernels.launcher.empty() &&
        (!is_readable_file(kernels.launcher) || access(kernels.launcher.c_str(), X_OK) != 0)) {
        all.refuse_combination("kernels.launcher", "an executable file");
    }
    if (!kernels.package_dir.empty() && !is_directory(kernels.package_dir + "/cellgate_kernel")) {
        all.refuse_combination("kernels.package_dir", "a directory that holds cellgate_kernel");
    }
}

void check_pool(assembly& all) {
    const auto& kernels = all.values.kernels;
    for (const auto& [setting, pool] :
         {std::pair("kernels.pool", &kernels.pool), std::pair("kernels.jupyter_pool", &kernels.jupyter_pool)})
        for (const auto& [name, count] : *pool)
            if (!is_kernel_name(name))
                all.refuse_combination(setting, "counts by kernelspec names, and \"" + name + "\" is none");
}

// The key of a service may be in a file: `key` gets what its first line has.
void read_key(assembly& all, const std::string& section, std::string& key, const std::string& path) {
    if (path.empty()) return;
    auto setting = section + ".api_key_file";
    if (!key.empty()) return all.refuse_combination(setting, "empty while " + section + ".api_key is set");
    std::ifstream file(path);
    std::getline(file, key);
    while (!key.empty() && (key.back() == '\r' || key.back() == ' ')) key.pop_back();
    if (!key.empty() && is_key(key)) return;
    key.clear();
    all.refuse_combination(setting, "a readable file whose first line is the key: visible ASCII characters");
}

void check_llm(assembly& all) {
    auto& llm = all.values.llm;
    if (!llm.base_url.empty() && llm.model.empty())
        all.refuse_combination("llm.model", "the name of a model, since llm.base_url is set");
    read_key(all, "llm", llm.api_key, llm.api_key_file);
}

void check_search(assembly& all) {
    auto& search = all.values.search;
    if (search.provider == "searxng" && search.url.empty())
        all.refuse_combination("search.url", "the URL of a SearXNG server, since search.provider is \"searxng\"");
    read_key(all, "search", search.api_key, search.api_key_file);
    bool needs_key = !search.provider.empty() && search.provider != "searxng";
    if (needs_key && search.api_key.empty() && search.api_key_file.empty())
        all.refuse_combination("search.api_key", "set, since search.provider is \"" + search.provider + "\"");
}

void check_network(assembly& all) {
    const auto& network = all.values.network;
    if (network.mode == "allow" && network.allow.empty())
        all.refuse_combination("network.allow", "what may be reached, since network.mode is \"allow\"");
    if (network.mode != "allow" && !network.allow.empty())
        all.refuse_combination("network.allow",
                               "empty unless network.mode is \"allow\", and it is \"" + network.mode + "\"");
}

void check_composio(assembly& all) {
    auto& composio = all.values.tools.composio;
    read_key(all, "tools.composio", composio.api_key, composio.api_key_file);
    if (!composio.api_key.empty() && composio.toolkits.empty() && composio.tools.empty())
        all.refuse_combination(
            "tools.composio.toolkits",
            "the toolkits that may be called (or set tools.composio.tools), since there is an api_key");
}

}  // namespace

void check_combinations(assembly& all) {
    check_auth(all);
    check_tls(all);
    check_cors(all);
    check_log(all);
    check_programs(all);
    check_pool(all);
    check_llm(all);
    check_search(all);
    check_network(all);
    check_composio(all);
}

}  // namespace gateway::config
