#include <unistd.h>

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
    for (const auto& [name, count] : all.values.kernels.pool) {
        if (!is_kernel_name(name))
            all.refuse_combination("kernels.pool", "counts by kernelspec names, and \"" + name + "\" is none");
    }
}

}  // namespace

void check_combinations(assembly& all) {
    check_auth(all);
    check_tls(all);
    check_cors(all);
    check_log(all);
    check_programs(all);
    check_pool(all);
}

}  // namespace gateway::config
