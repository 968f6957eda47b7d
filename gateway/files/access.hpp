// A session's store as the io thread uses it: work goes to the pool, problems become failures. io thread.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <memory>

#include "gateway/base/result.hpp"
#include "gateway/base/thread_pool.hpp"
#include "mounts/file_store.hpp"

namespace gateway::files {

using shared_store = std::shared_ptr<mounts::file_store>;

failure to_failure(const mounts::file_problem& why);

// Whoever lets go of it last, the pool ends it: to close a large file that has no name any more takes time.
template <class T>
std::shared_ptr<T> end_on(asio::thread_pool& pool, std::unique_ptr<T> what) {
    auto end = [&pool](T* last) { asio::post(pool, [owner = std::unique_ptr<T>(last)]() mutable { owner.reset(); }); };
    return std::shared_ptr<T>(what.release(), end);
}

}  // namespace gateway::files
