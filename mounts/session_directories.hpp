// A session's own directories on the host: DATA_DIR/sessions/ID/{home,files,packages,log,uploads}, each
// 0700. home is /home/user, files is /mnt/files and packages is /opt/cellgate/packages in its box; log, and uploads,
// where files are until they are whole, are never shown there. One owner in the gateway: it locks DATA_DIR/sessions.
// Where there is a disk image, what a session itself writes lies in it: DISK/sessions/ID/home and
// DISK/sessions/ID/mount/{files,uploads}, home and mount with a limit each, and an empty file "limited" says so.
// Functions touch the file system and may wait for it; different ids may be used from different threads.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "kernel/launcher/file_descriptor.hpp"
#include "kernel/launcher/protocol.hpp"
#include "mounts/problem.hpp"

namespace mounts {

struct session_paths {
    std::string home;
    std::string files;
    std::string packages;
    std::string log;
    std::string uploads;

    bool operator==(const session_paths&) const = default;
};

// What a box shows of them: /home/user and /mnt/files, both writable, and /opt/cellgate/packages, which only the
// gateway writes to: it could be led astray by links that a session makes there.
std::vector<::kernel::bind_mount> box_mounts(const session_paths& paths);

class session_directories {
  public:
    // Makes DATA_DIR and DATA_DIR/sessions when they are missing. Fails when another gateway uses them, when they
    // belong to somebody else, or are a symbolic link. `limited`: disk_image::sessions(); empty: there is none.
    static result<session_directories> open(const std::string& data_dir, const std::string& limited = {});

    // `id`: 1 to 128 letters, digits, '-' and '_'. Fails when there is one of that id.
    result<session_paths> create(const std::string& id) const;
    session_paths paths(const std::string& id) const;
    // Whether limit() does anything for them: not for those that were made while there was no disk image.
    bool is_limited(const std::string& id) const;
    // How much home, and files with uploads, may hold from now on; 0: as much as there is.
    result<void> limit(const std::string& id, std::uint64_t home_bytes, std::uint64_t files_bytes) const;
    // With everything in them; that there are none is no problem.
    result<void> remove(const std::string& id) const;
    bool are_there(const std::string& id) const;
    // Those of an earlier gateway, to go on with: what is missing of them is made, and log and uploads are emptied.
    result<session_paths> reopen(const std::string& id) const;
    // Those of a session that is written down are claimed; before it is removed there, they are let go of.
    result<void> claim(const std::string& id) const;
    void let_go_of(const std::string& id) const;
    // Removes what an earlier gateway left, but for `kept`; before the first create(). What is claimed and not in
    // `ended` is left alone, too, and named: whoever lost track of its session, the files may be all there is of it.
    result<std::vector<std::string>> remove_leftovers(const std::set<std::string>& kept = {},
                                                      const std::set<std::string>& ended = {}) const;

  private:
    session_directories(std::string root, ::kernel::file_descriptor directory)
        : root_(std::move(root)), directory_(std::move(directory)) {}
    bool is_marked(const std::string& id, const char* mark) const;
    result<void> mark(const std::string& id, const char* mark) const;
    result<void> make_limited(const std::string& id) const;
    result<void> reopen_limited(const std::string& id) const;
    result<void> fill(const std::string& id) const;

    std::string root_;
    ::kernel::file_descriptor directory_;  // holds the lock
    std::string limited_root_;
    ::kernel::file_descriptor limited_;  // none without a disk image
};

}  // namespace mounts
