// A key of the gateway's own, in a file that only its user can read. Any thread.
#pragma once

#include <string>

#include "gateway/base/result.hpp"

namespace gateway::storage {

struct secret_file {
    std::string path;
    std::string name;    // what errors call it: "the key of file links"
    std::string remedy;  // what they say to do: "remove it, and …"
};

// The 32 bytes that the file holds as 64 hex digits. io_error, which says what to do, when it is missing, is no file of
// its own (a link, a FIFO), may be read by others, or holds something else.
result<std::string> read_secret(const secret_file& from);
// The same; a missing one is made. Several processes may try at a time: all get the same key.
result<std::string> keep_secret(const secret_file& in);

}  // namespace gateway::storage
