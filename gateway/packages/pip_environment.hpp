// The environment variables that pip runs with: where packages come from, and nothing else of the gateway's. Pure; any
// thread.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace gateway::packages {

// Where packages come from. All empty: where pip on this machine takes them from (its files and PIP_ variables).
struct index_settings {
    std::string index_url;
    std::vector<std::string> extra_index_urls;
    std::vector<std::string> find_links;  // directories and URLs
    std::vector<std::string> trusted_hosts;

    bool empty() const {
        return index_url.empty() && extra_index_urls.empty() && find_links.empty() && trusted_hosts.empty();
    }
};

// `inherited` is the gateway's environment. URLs may hold credentials: they are in variables and not in the command,
// which every user of the machine can read.
std::map<std::string, std::string> pip_environment(const index_settings& index, const std::string& cache_directory,
                                                   const std::string& temporary_directory,
                                                   const std::map<std::string, std::string>& inherited);

}  // namespace gateway::packages
