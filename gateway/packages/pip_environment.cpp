#include "gateway/packages/pip_environment.hpp"

#include <initializer_list>

namespace gateway::packages {
namespace {

using variables = std::map<std::string, std::string>;

void copy(const variables& from, std::initializer_list<const char*> names, variables& to) {
    for (const auto* name : names)
        if (auto found = from.find(name); found != from.end()) to[name] = found->second;
}

std::string joined(const std::vector<std::string>& all) {
    std::string made;
    for (const auto& each : all) made += (made.empty() ? "" : " ") + each;
    return made;
}

// pip reads its files (pip.conf, .netrc) below HOME.
void use_machine_settings(const variables& inherited, variables& to) {
    copy(inherited,
         {"PIP_CONFIG_FILE", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_TRUSTED_HOST",
          "PIP_NO_INDEX", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS"},
         to);
}

void use_own_settings(const index_settings& index, variables& to) {
    to["PIP_CONFIG_FILE"] = "/dev/null";  // by which pip reads no file at all
    if (!index.index_url.empty()) to["PIP_INDEX_URL"] = index.index_url;
    if (!index.extra_index_urls.empty()) to["PIP_EXTRA_INDEX_URL"] = joined(index.extra_index_urls);
    if (!index.find_links.empty()) to["PIP_FIND_LINKS"] = joined(index.find_links);
    if (!index.trusted_hosts.empty()) to["PIP_TRUSTED_HOST"] = joined(index.trusted_hosts);
    if (index.index_url.empty() && index.extra_index_urls.empty()) to["PIP_NO_INDEX"] = "1";
}

}  // namespace

variables pip_environment(const index_settings& index, const std::string& cache_directory,
                          const std::string& temporary_directory, const variables& inherited) {
    variables made;
    copy(inherited,
         {"PATH", "HOME", "LANG", "NETRC", "PIP_CERT", "PIP_CLIENT_CERT", "PIP_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR",
          "REQUESTS_CA_BUNDLE", "http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
          "all_proxy", "ALL_PROXY"},
         made);
    // A cell waits: what does not answer is not waited for five times.
    made["PIP_DEFAULT_TIMEOUT"] = "15";
    made["PIP_RETRIES"] = "2";
    copy(inherited, {"PIP_DEFAULT_TIMEOUT", "PIP_RETRIES"}, made);
    if (index.empty())
        use_machine_settings(inherited, made);
    else
        use_own_settings(index, made);
    made["PIP_CACHE_DIR"] = cache_directory;
    made["TMPDIR"] = temporary_directory;
    made["PIP_DISABLE_PIP_VERSION_CHECK"] = "1";
    made["PIP_NO_INPUT"] = "1";
    made["PIP_NO_COLOR"] = "1";
    made["PIP_PROGRESS_BAR"] = "off";
    made["PIP_ROOT_USER_ACTION"] = "ignore";
    return made;
}

}  // namespace gateway::packages
