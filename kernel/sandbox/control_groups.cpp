#include "kernel/sandbox/control_groups.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <random>
#include <thread>

#include "kernel/sandbox/box_error.hpp"

namespace kernel {
namespace {

constexpr const char* prefix = "cellgate-";
constexpr std::chrono::milliseconds longest_end(1'000);

std::string fresh_name() {
    constexpr const char* digits = "0123456789abcdef";
    std::random_device random;
    std::string name = prefix;
    for (unsigned bits = random(), count = 8; count > 0; --count, bits >>= 4) name += digits[bits & 15];
    return name;
}

void put_below(control_tree& tree, const std::string& name) {
    for (control_place& each : tree.places)
        if (each) each.directory += "/" + name;
}

}  // namespace

control_groups::control_groups(control_files& files, const std::string& process)
    : files_(files), tree_(find_control_tree(files, process)) {
    delegate_controllers(files_, tree_);
    find_leftovers();
    for (int tries = 3; tries > 0 && !claim(fresh_name());) --tries;
    hand_on();
    sweep();
}

// A directory that nobody has locked is taken for a leftover by other launchers: they may be faster.
bool control_groups::claim(const std::string& name) {
    control_tree own = tree_;
    put_below(own, name);
    std::vector<std::unique_ptr<control_lock>> locks;
    for (const std::string& each : own.directories()) {
        files_.make(each);
        locks.push_back(files_.lock(each));
        if (locks.back() && files_.may_write(each)) continue;
        for (const std::string& made : own.directories()) files_.remove(made);
        return false;
    }
    tree_ = std::move(own);
    locks_ = std::move(locks);
    return true;
}

void control_groups::hand_on() {
    for (controller each : all_controllers) {
        const control_place& place = tree_.of(each);
        if (place && locks_.empty())
            tree_.leave_out(each, "no group can be made in " + place.directory);
        else if (place.version == 2 &&
                 files_.write(place.directory + "/cgroup.subtree_control", std::string("+") + to_string(each)) != 0)
            tree_.leave_out(each, place.directory + " cannot hand it on");
    }
}

void control_groups::find_leftovers() {
    for (const std::string& base : tree_.directories())
        for (const std::string& name : files_.children(base)) {
            if (!name.starts_with(prefix) || name == emptied_into) continue;
            const std::string directory = base + "/" + name;
            if (auto lock = files_.lock(directory)) leftovers_.push_back({directory, std::move(lock)});
        }
}

control_groups::~control_groups() {
    const auto deadline = std::chrono::steady_clock::now() + longest_end;
    while (sweep() && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    for (const std::string& each : tree_.directories()) files_.remove(each);
}

limits_notice control_groups::offered() const {
    limits_notice made;
    made.cpu = static_cast<bool>(tree_.of(controller::cpu));
    made.memory = static_cast<bool>(tree_.of(controller::memory));
    made.pids = static_cast<bool>(tree_.of(controller::pids));
    for (controller each : all_controllers) {
        const std::string& why = tree_.reasons[static_cast<std::size_t>(each)];
        if (!why.empty()) made.reason += (made.reason.empty() ? "" : "; ") + std::string(to_string(each)) + ": " + why;
    }
    return made;
}

control_group control_groups::make() {
    control_tree own = tree_;
    put_below(own, std::to_string(++made_));
    const std::vector<std::string> all = own.directories();
    for (const std::string& each : all) {
        const int error = files_.make(each);
        if (error == 0) continue;
        ended_.insert(ended_.end(), all.begin(), std::find(all.begin(), all.end(), each));
        throw box_error("make the control group " + each + ": " + std::strerror(error));
    }
    return {files_, std::move(own),
            [this](std::vector<std::string> gone) { ended_.insert(ended_.end(), gone.begin(), gone.end()); }};
}

bool control_groups::remove(const std::string& directory) {
    const int error = files_.remove(directory);
    return error == 0 || error == ENOENT;
}

bool control_groups::sweep() {
    std::erase_if(ended_, [this](const std::string& each) { return remove(each); });
    leftovers_.remove_if([this](const leftover& each) {
        for (const std::string& name : files_.children(each.directory)) remove(each.directory + "/" + name);
        return remove(each.directory);
    });
    return !ended_.empty() || !leftovers_.empty();
}

}  // namespace kernel
