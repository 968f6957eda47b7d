// The directories that one running gateway has for itself. Owned by the server for as long as it runs.
#pragma once

#include <optional>
#include <string>

#include "gateway/base/result.hpp"
#include "gateway/config/config.hpp"
#include "mounts/disk_image.hpp"

namespace gateway::server {

// DATA_DIR (0700) and RUNTIME_DIR/<8 hex of DATA_DIR>, emptied, each with its lock: two gateways never share either,
// and one that cannot have both leaves both as they are.
class directories {
  public:
    // io_error says which directory, why, and what to set.
    static result<directories> claim(const std::string& data_dir, const std::string& runtime_dir);
    // Where sessions' files have limits: an image in DATA_DIR, mounted until this goes. Without one, no_disk() says
    // why.
    result<void> mount_disk(const config::storage_section& settings);
    directories(directories&& other) noexcept;
    directories& operator=(directories&&) = delete;
    ~directories();

    const std::optional<mounts::disk_image>& disk() const { return disk_; }
    const std::string& no_disk() const { return no_disk_; }
    const std::string& data() const { return data_; }
    const std::string& runtime() const { return runtime_; }               // kernels' sockets and connection files
    std::string empty() const { return runtime_ + "/empty"; }             // has no entries, ever
    std::string helper_sockets() const { return runtime_ + "/helpers"; }  // bound into every box

  private:
    directories() = default;
    std::string data_;
    std::string runtime_;
    std::optional<mounts::disk_image> disk_;
    std::string no_disk_ = "it was not asked for";
    int data_lock_ = -1;
    int runtime_lock_ = -1;  // from then on the directory is ours to remove
};

}  // namespace gateway::server
