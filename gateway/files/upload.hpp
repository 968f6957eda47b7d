// The body of a PUT as a file: streamed, and there whole or not at all. io thread.
#pragma once

#include "gateway/files/access.hpp"
#include "gateway/http/router.hpp"

namespace gateway::files {

// From If-Match and If-None-Match (which can only be *); invalid_request.
result<mounts::file_condition> read_condition(const http::request& asked);

// On a route with streams_body. 201 for a new file, 200 for one in an older one's place, with
// {path, size, last_modified, version, sha256}. Errors in the agent API's form.
awaitable<http::response> upload(shared_store into, asio::thread_pool& pool, mounts::file_path path,
                                 http::request& asked);

}  // namespace gateway::files
