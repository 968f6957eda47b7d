#include "gateway/config/named_mounts.hpp"

#include "gateway/config/rules.hpp"

namespace gateway::config {
namespace {

const std::vector<std::string> keys = {"directory", "at", "writable"};

void read_entry(assembly& into, const std::string& prefix, const mount_entry& entry, named_mount& made) {
    const auto* text = std::get_if<std::string>(&entry.given);
    const auto* flag = std::get_if<bool>(&entry.given);
    const auto refuse = [&](const char* must) { into.refuse(prefix + entry.key, entry.shown, entry.from.text, must); };
    if (entry.key == "directory") {
        if (text == nullptr || text->empty()) return refuse("a directory's path");
        made.directory = absolute_path(*text, entry.from);
    } else if (entry.key == "at") {
        if (text == nullptr || text->empty() || text->front() != '/') return refuse("an absolute path in the sandbox");
        made.at = *text;
    } else if (entry.key == "writable") {
        if (flag == nullptr) return refuse("true or false");
        made.writable = *flag;
    } else {
        std::vector<std::string> known;
        for (const auto& each : keys) known.push_back(prefix + each);
        into.refuse_unknown(prefix + entry.key, entry.from.text, known);
    }
}

}  // namespace

void read_named_mount(assembly& into, const std::string& name, const std::vector<mount_entry>& entries,
                      const origin& from) {
    const auto key = "mounts." + name;
    if (!is_mount_name(name))
        return into.refuse(key, "{…}", from.text, "named with letters, digits, _ and -; files is the session's own");
    const auto problems = into.problems.size();
    named_mount made;
    for (const auto& each : entries) read_entry(into, key + ".", each, made);
    if (into.problems.size() != problems) return;
    if (made.directory.empty()) return into.refuse(key, "{}", from.text, "given the directory to show");
    into.values.mounts[name] = std::move(made);
}

}  // namespace gateway::config
