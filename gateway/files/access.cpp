#include "gateway/files/access.hpp"

namespace gateway::files {
namespace {

errc code_of(mounts::file_errc code) {
    switch (code) {
        case mounts::file_errc::bad_path:
            return errc::invalid_request;
        case mounts::file_errc::not_found:
            return errc::file_not_found;
        case mounts::file_errc::unusable:
            return errc::file_unusable;
        case mounts::file_errc::not_as_stated:
            return errc::precondition_failed;
        case mounts::file_errc::full:
            return errc::storage_full;
        case mounts::file_errc::failed:
            break;
    }
    return errc::io_error;
}

}  // namespace

failure to_failure(const mounts::file_problem& why) { return {code_of(why.code), why.text}; }

}  // namespace gateway::files
