// What is asked of a session's store (session::files()) by whoever serves its files: each call runs on the pool, and
// its problems come as failures whose codes and texts may go to a client as they are. Requests and answers that are
// files, of any size, are download.hpp's and upload.hpp's; links to them links.hpp's. io thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/base/async.hpp"
#include "gateway/files/access.hpp"

namespace gateway::files {

using shared_pieces = std::vector<std::shared_ptr<const std::string>>;

// "data/a.csv", also written "/data/a.csv", "/mnt/files/data/a.csv" and "data/"; text() is the first form. With "..",
// empty names, or too long: invalid_request.
result<mounts::file_path> parse_path(std::string_view written);

// Files, in directories too, whose paths begin with `prefix` (written in any of those forms; empty: all), in the order
// of their paths' bytes. A page may be short, even empty, and have a next one all the same: only without `next` is it
// the last. Left out are names that are not UTF-8: they can stand in no URL and no JSON. invalid_request for a prefix
// or a cursor that is none.
awaitable<result<mounts::file_page>> list(shared_store from, asio::thread_pool& pool, std::string prefix,
                                          std::string cursor, std::size_t limit);

// file_not_found; file_unusable for a directory, a link, a pipe.
awaitable<result<mounts::file_info>> stat(shared_store from, asio::thread_pool& pool, mounts::file_path path);

// A file, or a directory with all that is in it; false when there was none. precondition_failed.
awaitable<result<bool>> remove(shared_store from, asio::thread_pool& pool, mounts::file_path path,
                               mounts::file_condition condition = {});

// A file that is in memory, one piece after another, seen whole or not at all; its directories are made. file_unusable,
// storage_full, precondition_failed.
awaitable<result<mounts::written_file>> write(shared_store into, asio::thread_pool& pool, mounts::file_path path,
                                              shared_pieces pieces, mounts::file_condition condition = {});
// The same, of one piece.
awaitable<result<mounts::written_file>> write(shared_store into, asio::thread_pool& pool, mounts::file_path path,
                                              std::string bytes, mounts::file_condition condition = {});

}  // namespace gateway::files
