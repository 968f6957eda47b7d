// One page of the files below a directory, in the order of their paths' bytes. Any thread.
//
// What a page costs: each directory along it is read once, and once more for every 1,024 names that are shown of it; of
// a directory never more than 1,024 names are kept (16 of one that lies deep), so that memory does not grow with it.
// 10,000 files in one directory are ten readings of it in ten pages. A page ends early, with a cursor, when it has done
// what listing_effort allows: a session's tree cannot hold up a thread for long.
#pragma once

#include <string>

#include "mounts/file_store.hpp"

namespace mounts {

struct listing_effort {
    std::size_t directories = 20'000;
    std::size_t names = 200'000;  // counts only with many_directories: a single one, however large, is read to its end
    std::size_t many_directories = 1'000;
};

// `root` is an open directory. `cursor`: empty, or `next` of a page before; bad_path when it is none. Left out: what is
// no regular file, what cannot be opened, and paths that are too long to be named.
file_result<file_page> list_files(int root, const std::string& prefix, const std::string& cursor, std::size_t limit,
                                  const listing_effort& most = {});

}  // namespace mounts
