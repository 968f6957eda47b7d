#include "gateway/storage/problem.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

namespace gateway::storage {
namespace {

const char* advice_for(int code) {
    switch (code & 0xff) {
        case SQLITE_NOTADB:
        case SQLITE_CORRUPT:
            return "; put a copy of it back, or move it away: keys and sessions that are only in it are lost then";
        case SQLITE_FULL:
            return "; free some space on its disk";
        case SQLITE_READONLY:
        case SQLITE_CANTOPEN:
        case SQLITE_PERM:
            return "; set storage.data_dir to a directory that can be written";
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return "; another process has it locked: try again when that has ended";
        default:
            return "";
    }
}

}  // namespace

failure describe(const std::string& path, int code, const std::string& what) {
    return {errc::io_error, fmt::format("{}: {}{}", path, what, advice_for(code))};
}

}  // namespace gateway::storage
