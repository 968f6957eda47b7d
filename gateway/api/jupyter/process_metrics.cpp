#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "gateway/api/jupyter/metrics.hpp"

namespace gateway::api::jupyter {
namespace {

double cpu_seconds() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// proc(5), /proc/self/statm: pages of virtual and of resident memory.
double resident_bytes() {
    std::ifstream from("/proc/self/statm");
    double all = 0, resident = 0;
    from >> all >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double open_files() {
    std::error_code error;
    std::filesystem::directory_iterator files("/proc/self/fd", error);
    return error ? 0 : static_cast<double>(std::distance(begin(files), end(files)));
}

// Boot time plus field 22 of /proc/self/stat, in clock ticks; the command (field 2) may hold spaces.
double start_time() {
    std::ifstream from("/proc/self/stat");
    std::string text((std::istreambuf_iterator<char>(from)), {});
    std::istringstream fields(text.substr(text.rfind(')') + 1));
    std::string skipped;
    for (int at = 3; at < 22; ++at) fields >> skipped;
    double ticks = 0;
    fields >> ticks;
    std::ifstream boot("/proc/stat");
    double booted = 0;
    for (std::string word; boot >> word;)
        if (word == "btime" && boot >> booted) break;
    return booted + ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace

std::vector<prometheus::MetricFamily> collect_process_metrics() {
    using enum prometheus::MetricType;
    std::vector<prometheus::MetricFamily> made;
    auto add = [&](const char* name, const char* help, prometheus::MetricType type, double value) {
        made.push_back(make_family(name, help, type));
        add_value(made.back(), value);
    };
    add("process_cpu_seconds_total", "User and system CPU time of the gateway", Counter, cpu_seconds());
    add("process_resident_memory_bytes", "Resident memory of the gateway", Gauge, resident_bytes());
    add("process_open_fds", "Open file descriptors of the gateway", Gauge, open_files());
    add("process_start_time_seconds", "Start of the gateway, seconds since the epoch", Gauge, start_time());
    return made;
}

}  // namespace gateway::api::jupyter
