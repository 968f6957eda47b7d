// [sizes.NAME]: what sandboxes of each size may have.
#include "gateway/config/rules.hpp"
#include "gateway/config/service_settings.hpp"

namespace gateway::config {
namespace {

using namespace rules;

template <auto which, auto member>
field size(config& of) {
    return &((of.sizes.*which).*member);
}

template <auto which>
void add(std::vector<setting>& to, std::string_view cpus, std::string_view memory) {
    to.push_back({cpus, size<which, &size_limits::cpus>, number(1, 1024), "Processors of a sandbox of this size"});
    to.push_back({memory, size<which, &size_limits::memory_bytes>, number(64ll << 20, 1ll << 50),
                  "Memory of a sandbox of this size"});
}

}  // namespace

std::vector<setting> size_settings() {
    std::vector<setting> all;
    add<&sizes_section::standard>(all, "sizes.standard.cpus", "sizes.standard.memory_bytes");
    add<&sizes_section::medium>(all, "sizes.medium.cpus", "sizes.medium.memory_bytes");
    add<&sizes_section::large>(all, "sizes.large.cpus", "sizes.large.memory_bytes");
    add<&sizes_section::xlarge>(all, "sizes.xlarge.cpus", "sizes.xlarge.memory_bytes");
    return all;
}

}  // namespace gateway::config
