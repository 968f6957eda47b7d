// The SHA-256 of a file, computed on the pool a piece at a time and remembered by its version. io thread.
#pragma once

#include <string>

#include "gateway/files/access.hpp"
#include "gateway/http/request.hpp"

namespace gateway::files {

// Whether Want-Repr-Digest (RFC 9530) asks for sha-256.
bool wants_digest(const http::request& asked);
// In hex. io_error when the file cannot be read, or became shorter meanwhile.
awaitable<result<std::string>> digest_of(shared_store store, std::shared_ptr<mounts::open_file> file,
                                         asio::thread_pool& pool);
// The value of Repr-Digest: "sha-256=:…:".
std::string to_digest_header(const std::string& hex);

}  // namespace gateway::files
