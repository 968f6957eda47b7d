// A file as the answer to GET or HEAD: conditions, one range, any size with bounded memory. io thread.
#pragma once

#include "gateway/files/access.hpp"
#include "gateway/http/router.hpp"

namespace gateway::files {

// Errors in the agent API's form. With Want-Repr-Digest: sha-256 (RFC 9530) the answer has the file's digest, computed
// once a version. What is sent is what the file is while it is read; one that became shorter meanwhile cuts the answer.
awaitable<http::response> download(shared_store from, asio::thread_pool& pool, mounts::file_path path,
                                   const http::request& asked);

}  // namespace gateway::files
