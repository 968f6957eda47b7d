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

const rule most_pids = number(0, 4'194'304);

struct keys {
    std::string_view cpus, memory, pids, disk, files;
};

template <auto which>
void add(std::vector<setting>& to, const keys& named) {
    to.push_back({named.cpus, size<which, &size_limits::cpus>, number(0, 1024),
                  "Processors of a sandbox of this size, such as 0.5; 0: no limit"});
    to.push_back({named.memory, size<which, &size_limits::memory_bytes>, number(64ll << 20, 1ll << 50),
                  "Memory of a sandbox of this size"});
    to.push_back({named.pids, size<which, &size_limits::pids>, most_pids,
                  "Processes and threads of a sandbox of this size; 0: no limit"});
    to.push_back({named.disk, size<which, &size_limits::disk_bytes>, bytes(0),
                  "Files in the home directory of a sandbox of this size; 0: no limit"});
    to.push_back({named.files, size<which, &size_limits::files_bytes>, bytes(0),
                  "Files at /mnt/files of a sandbox of this size; 0: no limit"});
}

}  // namespace

std::vector<setting> size_settings() {
    std::vector<setting> all;
    add<&sizes_section::standard>(all, {"sizes.standard.cpus", "sizes.standard.memory_bytes", "sizes.standard.pids",
                                        "sizes.standard.disk_bytes", "sizes.standard.files_bytes"});
    add<&sizes_section::medium>(all, {"sizes.medium.cpus", "sizes.medium.memory_bytes", "sizes.medium.pids",
                                      "sizes.medium.disk_bytes", "sizes.medium.files_bytes"});
    add<&sizes_section::large>(all, {"sizes.large.cpus", "sizes.large.memory_bytes", "sizes.large.pids",
                                     "sizes.large.disk_bytes", "sizes.large.files_bytes"});
    add<&sizes_section::xlarge>(all, {"sizes.xlarge.cpus", "sizes.xlarge.memory_bytes", "sizes.xlarge.pids",
                                      "sizes.xlarge.disk_bytes", "sizes.xlarge.files_bytes"});
    all.push_back({"sizes.jupyter.cpus", size<&sizes_section::jupyter, &size_limits::cpus>, number(0, 1024),
                   "Processors of a kernel that a Jupyter client started, such as 0.5; 0: no limit"});
    all.push_back({"sizes.jupyter.memory_bytes", size<&sizes_section::jupyter, &size_limits::memory_bytes>,
                   number(0, 1ll << 50), "Memory of a kernel that a Jupyter client started; 0: no limit"});
    all.push_back({"sizes.jupyter.pids", size<&sizes_section::jupyter, &size_limits::pids>, most_pids,
                   "Processes and threads of a kernel that a Jupyter client started; 0: no limit"});
    all.push_back({"sizes.jupyter.disk_bytes", size<&sizes_section::jupyter, &size_limits::disk_bytes>, bytes(0),
                   "Files in the home directory of a kernel that a Jupyter client started; 0: no limit"});
    all.push_back({"sizes.jupyter.files_bytes", size<&sizes_section::jupyter, &size_limits::files_bytes>, bytes(0),
                   "Files at /mnt/files of a kernel that a Jupyter client started; 0: no limit"});
    return all;
}

}  // namespace gateway::config
