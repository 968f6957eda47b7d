#include "kernel/sandbox/control_tree.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

namespace kernel {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string each; std::getline(in, each, at);) parts.push_back(each);
    return parts;
}

bool contains(const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

// A line of mountinfo (proc_pid_mountinfo(5)) of a control group file system.
struct mounted {
    std::string root;
    std::string point;
    bool second = false;
    std::vector<std::string> options;  // version 1: its controllers are among them
};

std::vector<mounted> mounted_groups(const std::string& mountinfo) {
    std::vector<mounted> all;
    for (const std::string& line : split(mountinfo, '\n')) {
        const std::vector<std::string> words = split(line, ' ');
        const auto dash = std::find(words.begin(), words.end(), "-");
        if (words.size() < 6 || words.end() - dash < 4) continue;
        const std::string& type = dash[1];
        if (type == "cgroup" || type == "cgroup2")
            all.push_back({words[3], words[4], type == "cgroup2", split(dash[3], ',')});
    }
    return all;
}

// Of /proc/PID/cgroup: "4:memory:/a", "2:cpu,cpuacct:/", and of version 2 "0::/b".
std::string own_path(const std::string& text, const std::string& name) {
    for (const std::string& line : split(text, '\n')) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string names = line.substr(first + 1, second - first - 1);
        if (name.empty() ? names.empty() : contains(split(names, ','), name)) return line.substr(second + 1);
    }
    return "/";
}

// A container's mount shows a part of the tree, and its own group as that part's top.
std::string directory_of(const mounted& where, std::string path) {
    if (where.root != "/" && path.starts_with(where.root)) path.erase(0, where.root.size());
    if (path.starts_with("/..")) path.clear();
    while (path.ends_with('/')) path.pop_back();
    return where.point + path;
}

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

bool is_emptied(const std::string& directory) { return directory.ends_with(std::string("/") + emptied_into); }

control_place first_version(const control_files& files, const std::vector<mounted>& all, const std::string& groups,
                            const std::string& name, std::string& why) {
    for (const mounted& each : all) {
        if (each.second || !contains(each.options, name)) continue;
        const std::string directory = directory_of(each, own_path(groups, name));
        if (files.may_write(directory)) return {1, directory};
        why = directory + " is not this user's to write";
    }
    return {};
}

control_place second_version(const control_files& files, const std::vector<mounted>& all, const std::string& groups,
                             const std::string& name, std::string& why) {
    for (const mounted& each : all) {
        if (!each.second) continue;
        std::string directory = directory_of(each, own_path(groups, ""));
        if (is_emptied(directory)) directory = parent_of(directory);
        std::string offered = files.read(directory + "/cgroup.controllers").value_or("");
        while (offered.ends_with('\n')) offered.pop_back();
        if (!contains(split(offered, ' '), name)) {
            why = directory + " has no " + name + " controller";
            continue;
        }
        if (files.may_write(directory) && files.may_write(directory + "/cgroup.subtree_control") &&
            files.may_write(directory + "/cgroup.procs"))
            return {2, directory};
        why = directory + " is not delegated to this user";
    }
    return {};
}

// A process that ends meanwhile, and one that is forked, are why it is looked again.
int move_all(control_files& files, const std::string& from, const std::string& to) {
    constexpr int most_rounds = 100;
    for (int round = 0; round < most_rounds; ++round) {
        const std::vector<std::string> left = split(files.read(from + "/cgroup.procs").value_or(""), '\n');
        if (left.empty()) return 0;
        for (const std::string& each : left)
            if (int error = files.write(to + "/cgroup.procs", each); error != 0 && error != ESRCH) return error;
    }
    return EBUSY;
}

// The tree's top may have processes and children with controllers; it alone has no type.
int empty_own_group(control_files& files, const std::string& directory) {
    if (!files.read(directory + "/cgroup.type")) return 0;
    const std::string leaf = directory + "/" + emptied_into;
    if (int error = files.make(leaf); error != 0 && error != EEXIST) return error;
    return move_all(files, directory, leaf);
}

}  // namespace

const char* to_string(controller which) {
    constexpr std::array names = {"cpu", "memory", "pids"};
    return names[static_cast<std::size_t>(which)];
}

void control_tree::leave_out(controller which, std::string why) {
    of(which) = {};
    reasons[static_cast<std::size_t>(which)] = std::move(why);
}

std::vector<std::string> control_tree::directories() const {
    std::vector<std::string> all;
    for (const control_place& each : places)
        if (each && !contains(all, each.directory)) all.push_back(each.directory);
    return all;
}

std::string control_tree::second() const {
    for (const control_place& each : places)
        if (each.version == 2) return each.directory;
    return {};
}

control_tree find_control_tree(const control_files& files, const std::string& process) {
    const std::vector<mounted> all = mounted_groups(files.read(process + "/mountinfo").value_or(""));
    const std::string groups = files.read(process + "/cgroup").value_or("");
    control_tree found;
    for (controller each : all_controllers) {
        std::string why;
        control_place place = first_version(files, all, groups, to_string(each), why);
        if (!place) place = second_version(files, all, groups, to_string(each), why);
        if (place)
            found.of(each) = std::move(place);
        else
            found.leave_out(each, why.empty() ? "no control group file system is mounted" : why);
    }
    return found;
}

void delegate_controllers(control_files& files, control_tree& tree) {
    const std::string directory = tree.second();
    if (directory.empty()) return;
    const int moved = empty_own_group(files, directory);
    for (controller each : all_controllers) {
        if (tree.of(each).version != 2) continue;
        const std::string enabled = std::string("+") + to_string(each);
        const int error = moved != 0 ? moved : files.write(directory + "/cgroup.subtree_control", enabled);
        if (error == 0) continue;
        tree.leave_out(each, (moved != 0 ? "the processes in " + directory + " cannot be moved: "
                                         : directory + " cannot hand it on: ") +
                                 std::strerror(error));
    }
}

}  // namespace kernel
