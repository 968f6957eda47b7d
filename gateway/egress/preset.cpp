#include "gateway/egress/preset.hpp"

namespace gateway::egress {
namespace {

constexpr std::uint16_t https_only[] = {443};
constexpr std::uint16_t http_too[] = {80, 443};  // apt checks signatures, and its sources are http:// by default

constexpr std::string_view conda_hosts[] = {"conda.anaconda.org", "repo.anaconda.com"};
constexpr std::string_view cran_hosts[] = {"cran.r-project.org", "cloud.r-project.org"};
constexpr std::string_view crates_hosts[] = {"crates.io", "index.crates.io", "static.crates.io"};
constexpr std::string_view debian_hosts[] = {"deb.debian.org", "security.debian.org"};
constexpr std::string_view github_hosts[] = {"github.com", "api.github.com", "codeload.github.com",
                                             "*.githubusercontent.com"};
constexpr std::string_view go_hosts[] = {"proxy.golang.org", "sum.golang.org"};
constexpr std::string_view huggingface_hosts[] = {"huggingface.co", "*.huggingface.co", "*.hf.co"};
constexpr std::string_view npm_hosts[] = {"registry.npmjs.org"};
constexpr std::string_view pypi_hosts[] = {"pypi.org", "files.pythonhosted.org"};
constexpr std::string_view ubuntu_hosts[] = {"archive.ubuntu.com", "security.ubuntu.com", "ports.ubuntu.com"};

constexpr preset presets[] = {
    {"conda", conda_hosts, https_only},   {"cran", cran_hosts, https_only},
    {"crates", crates_hosts, https_only}, {"debian", debian_hosts, http_too},
    {"github", github_hosts, https_only}, {"go", go_hosts, https_only},
    {"npm", npm_hosts, https_only},       {"huggingface", huggingface_hosts, https_only},
    {"pypi", pypi_hosts, https_only},     {"ubuntu", ubuntu_hosts, http_too},
};

}  // namespace

const preset* find_preset(std::string_view name) {
    for (const auto& each : presets)
        if (each.name == name) return &each;
    return nullptr;
}

std::string preset_names() {
    std::string names;
    for (const auto& each : presets) names.append(names.empty() ? "" : ", ").append(each.name);
    return names;
}

}  // namespace gateway::egress
