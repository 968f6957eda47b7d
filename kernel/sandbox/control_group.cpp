#include "kernel/sandbox/control_group.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "kernel/sandbox/box_error.hpp"

namespace kernel {
namespace {

constexpr std::int64_t period_us = 100'000;
constexpr std::int64_t us_per_millicpu = period_us / 1000;

std::string number_or(std::int64_t number, const char* none) { return number > 0 ? std::to_string(number) : none; }

[[noreturn]] void fail(const std::string& what, int number) { throw box_error(what + ": " + std::strerror(number)); }

long value_of(const std::string& text, const std::string& name) {
    const std::string all = "\n" + text;
    const std::size_t at = all.find("\n" + name + " ");
    return at == std::string::npos ? 0 : std::strtol(all.c_str() + at + name.size() + 2, nullptr, 10);
}

}  // namespace

control_group::control_group(control_files& files, control_tree tree,
                             std::function<void(std::vector<std::string>)> gone)
    : files_(&files), tree_(std::move(tree)), gone_(std::move(gone)) {}

control_group& control_group::operator=(control_group&& other) noexcept {
    swap(other);
    return *this;
}

control_group::~control_group() {
    if (gone_) gone_(tree_.directories());
}

void control_group::swap(control_group& other) noexcept {
    std::swap(files_, other.files_);
    std::swap(tree_, other.tree_);
    std::swap(gone_, other.gone_);
}

void control_group::set(const box_limits& what) {
    set_cpu(what.cpu_millis);
    set_memory(what.memory_bytes);
    set_pids(what.pids);
}

void control_group::set_cpu(std::int64_t millis) {
    const std::int64_t quota = millis * us_per_millicpu;
    if (tree_.of(controller::cpu).version == 2)
        write(controller::cpu, "cpu.max", number_or(quota, "max") + " " + std::to_string(period_us));
    if (tree_.of(controller::cpu).version != 1) return;
    write(controller::cpu, "cpu.cfs_period_us", std::to_string(period_us));
    const std::string& directory = tree_.of(controller::cpu).directory;
    const int error = files_->write(directory + "/cpu.cfs_quota_us", number_or(quota, "-1"));
    // More than this process itself may have, which then is the limit.
    if (error != 0 && error != EINVAL) fail("limit cpu in " + directory, error);
}

// In an order in which each value is allowed, whatever was there: memory and swap together are never below memory.
void control_group::set_memory(std::int64_t bytes) {
    const control_place& place = tree_.of(controller::memory);
    if (place.version == 2) {
        write(controller::memory, "memory.max", number_or(bytes, "max"));
        if (files_->may_write(place.directory + "/memory.swap.max"))
            write(controller::memory, "memory.swap.max", bytes > 0 ? "0" : "max");
    }
    if (place.version != 1) return;
    const bool counts_swap = files_->may_write(place.directory + "/memory.memsw.limit_in_bytes");
    if (counts_swap) write(controller::memory, "memory.memsw.limit_in_bytes", "-1");
    write(controller::memory, "memory.limit_in_bytes", number_or(bytes, "-1"));
    if (counts_swap) write(controller::memory, "memory.memsw.limit_in_bytes", number_or(bytes, "-1"));
}

void control_group::set_pids(std::int64_t count) {
    if (tree_.of(controller::pids)) write(controller::pids, "pids.max", number_or(count, "max"));
}

void control_group::write(controller which, const char* file, const std::string& text) {
    const std::string path = tree_.of(which).directory + "/" + file;
    if (int error = files_->write(path, text); error != 0) fail("write " + text + " to " + path, error);
}

void control_group::enter(bool but_second) const {
    const std::string second = but_second ? tree_.second() : "";
    for (const std::string& each : tree_.directories()) {
        if (each == second) continue;
        if (int error = files_->write(each + "/cgroup.procs", "0"); error != 0) fail("enter " + each, error);
    }
}

file_descriptor control_group::second() const {
    const std::string directory = tree_.second();
    return directory.empty() ? file_descriptor() : files_->open_directory(directory);
}

std::vector<file_descriptor> control_group::entrances() const {
    std::vector<file_descriptor> all;
    for (const std::string& each : tree_.directories()) {
        all.push_back(files_->open_to_write(each + "/cgroup.procs"));
        if (!all.back()) fail("open " + each + "/cgroup.procs", errno);
    }
    return all;
}

long control_group::memory_kills() const {
    const control_place& place = tree_.of(controller::memory);
    if (!place) return 0;
    const char* file = place.version == 2 ? "/memory.events" : "/memory.oom_control";
    return value_of(files_->read(place.directory + file).value_or(""), "oom_kill");
}

void enter_groups(std::vector<file_descriptor> entrances) {
    for (const file_descriptor& each : entrances)
        if (::write(each.get(), "0", 1) < 0) fail("enter the box's control group", errno);
}

}  // namespace kernel
