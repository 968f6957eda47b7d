// A session's files, wherever they are kept: on this machine (local_files), or elsewhere one day. Functions may wait
// for the disk or a network: they are called from a pool, not from the io thread. Any thread, several at once. Shared
// with whoever reads or writes a file; it may outlive its session, whose files are then not found.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mounts/file_path.hpp"
#include "mounts/file_problem.hpp"

namespace mounts {

struct file_info {
    std::string path;
    std::uint64_t size = 0;
    std::chrono::system_clock::time_point modified;
    std::string version;  // another one after each write, whoever wrote; letters, digits and dashes
};

// What must be so for a file to be written or removed; by default anything may be.
struct file_condition {
    bool must_exist = false;
    bool must_not_exist = false;
    std::vector<std::string> versions = {};  // it must exist and have one of these; empty: any
};

struct file_page {
    std::vector<file_info> items;     // by path, in the order of bytes
    std::optional<std::string> next;  // where the next page begins: opaque; absent after the last
};

class open_file {
  public:
    virtual ~open_file() = default;
    // As it was when it was opened.
    virtual const file_info& info() const = 0;
    // Up to `count` bytes; fewer only where the file ends now.
    virtual file_result<std::string> read(std::uint64_t offset, std::size_t count) = 0;
};

struct written_file {
    file_info info;
    std::string sha256;   // hex
    bool is_new = false;  // nothing of that name was there
};

// A file on its way: nobody sees it before commit(), and nothing of it is left when it goes without.
class upload {
  public:
    virtual ~upload() = default;
    virtual file_result<void> write(std::string_view bytes) = 0;
    // Puts it in its place at once, whole. not_as_stated when the condition no longer holds.
    virtual file_result<written_file> commit() = 0;
};

class file_store {
  public:
    virtual ~file_store() = default;

    // not_found, unusable (a directory, a special file).
    virtual file_result<file_info> stat(const file_path& path) = 0;
    // Files, in directories too, whose paths begin with `prefix`, from `cursor` (of a page before) on, `limit` of them
    // at most. A page may be short, or empty, and have a next one all the same.
    virtual file_result<file_page> list(const std::string& prefix, const std::string& cursor, std::size_t limit) = 0;
    virtual file_result<std::unique_ptr<open_file>> open(const file_path& path) = 0;
    // Makes the directories of the path. Fails at once when the condition does not hold now.
    virtual file_result<std::unique_ptr<upload>> begin(const file_path& path, const file_condition& condition) = 0;
    // A file, or a directory with all that is in it. Whether there was one.
    virtual file_result<bool> remove(const file_path& path, const file_condition& condition) = 0;

    // A digest that was computed for this version, if it is still remembered.
    virtual std::optional<std::string> find_sha256(const std::string& version) = 0;
    virtual void keep_sha256(const std::string& version, const std::string& digest) = 0;
};

}  // namespace mounts
