#include "gateway/kernels/kernelspec.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/kernels/kernelspec_file.hpp"

namespace gateway::kernels {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto rescan_after = 5s;  // a file changed inside a spec's directory does not touch its parent's mtime

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

long long monotonic_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// -1 when there is no such directory.
long long mtime_ns(const std::string& directory) {
    struct stat found {};
    if (::stat(directory.c_str(), &found) != 0) return -1;
    return found.st_mtim.tv_sec * 1'000'000'000LL + found.st_mtim.tv_nsec;
}

std::map<std::string, long long> signature_of(const std::vector<std::string>& directories) {
    std::map<std::string, long long> made;
    for (const auto& each : directories) made.emplace(each, mtime_ns(each));
    return made;
}

std::vector<std::string> names_in(const std::string& directory) {
    std::vector<std::string> names;
    std::error_code ec;
    for (fs::directory_iterator each(directory, ec), end; !ec && each != end; each.increment(ec)) {
        std::error_code ignored;
        if (fs::exists(each->path() / "kernel.json", ignored)) names.push_back(each->path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

void add_path_list(std::vector<std::string>& into, const std::string& list) {
    for (std::size_t at = 0; at <= list.size();) {
        auto colon = std::min(list.find(':', at), list.size());
        if (colon > at) into.push_back(list.substr(at, colon - at) + "/kernels");
        at = colon + 1;
    }
}

std::string user_data_directory() {
    if (auto given = variable("JUPYTER_DATA_DIR"); !given.empty()) return given;
    if (auto data = variable("XDG_DATA_HOME"); !data.empty()) return data + "/jupyter";
    if (auto home = variable("HOME"); !home.empty()) return home + "/.local/share/jupyter";
    return {};
}

}  // namespace

kernelspec_store::kernelspec_store(std::vector<std::string> directories, python3_kernel python3)
    : directories_(std::move(directories)), python3_(python3) {}

const std::map<std::string, kernelspec>& kernelspec_store::list() {
    auto now = monotonic_ns();
    auto stale = scanned_at_ == 0 || now - scanned_at_ > std::chrono::nanoseconds(rescan_after).count();
    if (stale || signature_of(directories_) != signature_) {
        rescan();
        scanned_at_ = now;
    }
    return found_;
}

void kernelspec_store::rescan() {
    signature_ = signature_of(directories_);  // before reading: a change while we read is seen by the next call
    found_.clear();
    for (const auto& directory : directories_)
        for (const auto& name : names_in(directory)) add(directory, name);
    name_python3();
}

void kernelspec_store::name_python3() {
    auto own = found_.find(own_kernel);
    if (python3_ == python3_kernel::installed || own == found_.end()) return;
    if (auto displaced = found_.extract(usual_kernel)) {
        displaced.key() = displaced.mapped().name = displaced_kernel;
        found_.insert(std::move(displaced));
    }
    auto copy = own->second;
    copy.name = usual_kernel;
    copy.display_name = usual_title;  // two tiles of one title would look like a mistake
    found_.emplace(usual_kernel, std::move(copy));
}

void kernelspec_store::add(const std::string& directory, const std::string& name) {
    auto path = directory + "/" + name;
    auto complain = [&](const std::string& why) {
        if (std::exchange(complaints_[path], why) != why) log::warning("kernelspec {} is left out: {}", path, why);
    };
    if (!is_kernelspec_name(name)) return complain("its name may hold letters, digits, '.', '_' and '-' only");
    auto key = lower(name);
    if (found_.contains(key)) return;
    auto spec = read_kernelspec(key, path);
    if (!spec) return complain(spec.error().message);
    complaints_.erase(path);
    found_.emplace(key, std::move(*spec));
}

const std::string& kernelspec_store::default_name(const std::string& wanted) {
    static const std::string usual = usual_kernel;
    return wanted == own_kernel && !list().contains(own_kernel) ? usual : wanted;
}

result<kernelspec> kernelspec_store::find(const std::string& name) {
    const auto& all = list();
    auto key = lower(name);
    auto found = all.find(key);
    if (found == all.end() && key == "python") found = all.find(usual_kernel);
    if (found != all.end()) return found->second;
    std::string known;
    for (const auto& [each, spec] : all) known += (known.empty() ? "" : ", ") + each;
    return failure{errc::kernelspec_not_found, "there is no kernelspec \"" + name + "\"; there are: " +
                                                   (known.empty() ? "none (set kernels.kernelspec_dirs)" : known)};
}

std::vector<std::string> kernelspec_directories(const std::vector<std::string>& extra_prefixes) {
    std::vector<std::string> found;
    add_path_list(found, variable("JUPYTER_PATH"));
    if (auto data = user_data_directory(); !data.empty()) found.push_back(data + "/kernels");
    for (const auto& prefix : extra_prefixes) found.push_back(prefix + "/share/jupyter/kernels");
    found.push_back("/usr/local/share/jupyter/kernels");
    found.push_back("/usr/share/jupyter/kernels");
    return found;
}

}  // namespace gateway::kernels
