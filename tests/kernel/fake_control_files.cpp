#include "tests/kernel/fake_control_files.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <sstream>

namespace kernel {
namespace {

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }
std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
}

class fake_lock final : public control_lock {
  public:
    fake_lock(std::set<std::string>& all, std::string directory) : all_(all), directory_(std::move(directory)) {}
    ~fake_lock() override { all_.erase(directory_); }

  private:
    std::set<std::string>& all_;
    std::string directory_;
};

}  // namespace

void fake_control_files::describe_process(const std::string& mountinfo, const std::string& groups) {
    texts_["/proc/self/mountinfo"] = mountinfo;
    texts_["/proc/self/cgroup"] = groups;
}

void fake_control_files::add_second(const std::string& directory, const std::string& controllers, bool is_top) {
    directories_.insert(directory);
    texts_[directory + "/cgroup.controllers"] = controllers + "\n";
    texts_[directory + "/cgroup.subtree_control"] = "";
    texts_[directory + "/cgroup.procs"] = "";
    if (!is_top) texts_[directory + "/cgroup.type"] = "domain\n";
    for (const std::string& each : words_of(controllers)) add_controller(directory, each);
}

void fake_control_files::add_first(const std::string& directory) {
    directories_.insert(directory);
    texts_[directory + "/cgroup.procs"] = "";
    for (const char* each : {"cpu.cfs_period_us", "cpu.cfs_quota_us", "memory.limit_in_bytes",
                             "memory.memsw.limit_in_bytes", "memory.oom_control", "pids.max"})
        texts_[directory + "/" + each] = "";
}

void fake_control_files::add_controller(const std::string& directory, const std::string& name) {
    if (name == "cpu") texts_[directory + "/cpu.max"] = "max 100000\n";
    if (name == "pids") texts_[directory + "/pids.max"] = "max\n";
    if (name != "memory") return;
    texts_[directory + "/memory.max"] = texts_[directory + "/memory.swap.max"] = "max\n";
    texts_[directory + "/memory.events"] = "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n";
}

bool fake_control_files::is_second(const std::string& directory) const {
    return texts_.contains(directory + "/cgroup.subtree_control");
}

bool fake_control_files::hands_on(const std::string& directory) const {
    return is_second(directory) && !texts_.at(directory + "/cgroup.subtree_control").empty();
}

std::optional<std::string> fake_control_files::read(const std::string& path) const {
    auto found = texts_.find(path);
    return found == texts_.end() ? std::nullopt : std::optional(found->second);
}

int fake_control_files::write(const std::string& path, const std::string& text) {
    if (!texts_.contains(path)) return ENOENT;
    if (forbidden_.contains(path)) return EACCES;
    const std::string directory = parent_of(path);
    if (name_of(path) == "cgroup.procs") return move(text == "0" ? own_pid : text, directory);
    if (name_of(path) == "cgroup.subtree_control") return hand_on(directory, text.substr(1));
    texts_[path] = text;
    return 0;
}

int fake_control_files::move(const std::string& pid, const std::string& to) {
    if (hands_on(to) && !is_top(to)) return EBUSY;
    for (auto& [path, text] : texts_) {
        if (name_of(path) != "cgroup.procs" || is_second(parent_of(path)) != is_second(to)) continue;
        if (const std::size_t at = ("\n" + text).find("\n" + pid + "\n"); at != std::string::npos)
            text.erase(at, pid.size() + 1);
    }
    texts_[to + "/cgroup.procs"] += pid + "\n";
    return 0;
}

int fake_control_files::hand_on(const std::string& directory, const std::string& name) {
    const std::vector<std::string> offered = words_of(texts_[directory + "/cgroup.controllers"]);
    if (std::find(offered.begin(), offered.end(), name) == offered.end()) return ENOENT;
    if (!is_top(directory) && !texts_[directory + "/cgroup.procs"].empty()) return EBUSY;
    texts_[directory + "/cgroup.subtree_control"] += name + " ";
    for (const std::string& each : children(directory)) {
        texts_[directory + "/" + each + "/cgroup.controllers"] += name + " ";
        add_controller(directory + "/" + each, name);
    }
    return 0;
}

int fake_control_files::make(const std::string& directory) {
    if (directories_.contains(directory)) return EEXIST;
    const std::string parent = parent_of(directory);
    if (!directories_.contains(parent)) return ENOENT;
    if (is_second(parent))
        add_second(directory, texts_[parent + "/cgroup.subtree_control"]);
    else
        add_first(directory);
    return 0;
}

int fake_control_files::remove(const std::string& directory) {
    if (!directories_.contains(directory)) return ENOENT;
    if (!children(directory).empty() || !texts_[directory + "/cgroup.procs"].empty()) return EBUSY;
    directories_.erase(directory);
    std::erase_if(texts_, [&](const auto& each) { return parent_of(each.first) == directory; });
    return 0;
}

std::vector<std::string> fake_control_files::children(const std::string& directory) const {
    std::vector<std::string> names;
    for (const std::string& each : directories_)
        if (parent_of(each) == directory) names.push_back(name_of(each));
    return names;
}

bool fake_control_files::may_write(const std::string& path) const {
    return (texts_.contains(path) || directories_.contains(path)) && !forbidden_.contains(path);
}

std::unique_ptr<control_lock> fake_control_files::lock(const std::string& directory) {
    if (!directories_.contains(directory) || !locked_.insert(directory).second) return nullptr;
    return std::make_unique<fake_lock>(locked_, directory);
}

file_descriptor fake_control_files::open_to_write(const std::string&) const {
    return file_descriptor(open("/dev/null", O_WRONLY | O_CLOEXEC));
}

}  // namespace kernel
