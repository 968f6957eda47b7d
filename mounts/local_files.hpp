// A session's files in a directory of this machine that its box shows at /mnt/files, and that programs in it write to
// at the same time, links, fifos and all. Every path is opened below that directory without following links; what is no
// regular file is never opened. Shared; any thread.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "mounts/file_store.hpp"

namespace mounts {

class local_files final : public file_store {
  public:
    // `files` and `uploads` as in session_paths: on one file system, the second shown in no box. Neither need exist
    // when nothing is asked any more.
    local_files(std::string files, std::string uploads);
    ~local_files() override;

    file_result<file_info> stat(const file_path& path) override;
    // list_files() says what it costs.
    file_result<file_page> list(const std::string& prefix, const std::string& cursor, std::size_t limit) override;
    file_result<std::unique_ptr<open_file>> open(const file_path& path) override;
    // What is written belongs to the owner of `files` and has the mode 0644. Of callers with the same condition, one at
    // most wins; a program inside that writes in the moment between the look at a file and its replacement is not seen.
    file_result<std::unique_ptr<upload>> begin(const file_path& path, const file_condition& condition) override;
    file_result<bool> remove(const file_path& path, const file_condition& condition) override;
    std::optional<std::string> find_sha256(const std::string& version) override;
    void keep_sha256(const std::string& version, const std::string& digest) override;

    struct place;  // what uploads share with the store

  private:
    std::shared_ptr<place> place_;
    std::mutex digests_mutex_;
    std::map<std::string, std::string> digests_;
};

}  // namespace mounts
