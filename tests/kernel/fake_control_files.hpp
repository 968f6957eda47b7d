// A control group file system in memory, with the rules of version 2 that matter to who makes groups: files of a
// controller appear in the children of a group that hands it on, and a group below the top has processes or does so,
// not both.
#pragma once

#include <map>
#include <set>
#include <string>

#include "kernel/sandbox/control_files.hpp"

namespace kernel {

class fake_control_files final : public control_files {
  public:
    static constexpr const char* own_pid = "100";  // of whoever writes "0"

    // What /proc/self says.
    void describe_process(const std::string& mountinfo, const std::string& groups);
    // A group of version 2 with these controllers; with a type unless it is the top of the tree.
    void add_second(const std::string& directory, const std::string& controllers, bool is_top = false);
    void add_first(const std::string& directory);
    void forbid(const std::string& path) { forbidden_.insert(path); }
    void put(const std::string& path, const std::string& text) { texts_[path] = text; }
    std::string text_of(const std::string& path) const { return read(path).value_or("(none)"); }
    bool is_there(const std::string& directory) const { return directories_.contains(directory); }
    const std::set<std::string>& directories() const { return directories_; }
    // As if its holder had been killed.
    void unlock_all() { locked_.clear(); }

    std::optional<std::string> read(const std::string& path) const override;
    int write(const std::string& path, const std::string& text) override;
    int make(const std::string& directory) override;
    int remove(const std::string& directory) override;
    std::vector<std::string> children(const std::string& directory) const override;
    bool may_write(const std::string& path) const override;
    std::unique_ptr<control_lock> lock(const std::string& directory) override;
    file_descriptor open_directory(const std::string&) const override { return {}; }
    file_descriptor open_to_write(const std::string&) const override;

  private:
    bool is_second(const std::string& directory) const;
    bool hands_on(const std::string& directory) const;
    bool is_top(const std::string& directory) const { return !texts_.contains(directory + "/cgroup.type"); }
    void add_controller(const std::string& directory, const std::string& name);
    int move(const std::string& pid, const std::string& to);
    int hand_on(const std::string& directory, const std::string& name);

    std::map<std::string, std::string> texts_;
    std::set<std::string> directories_;
    std::set<std::string> forbidden_;
    std::set<std::string> locked_;
};

}  // namespace kernel
