#include "gateway/files/store_calls.hpp"

#include "gateway/http/text.hpp"

namespace gateway::files {
namespace {

template <class T>
result<T> to_result(mounts::file_result<T> from) {
    if (!from) return to_failure(from.error());
    return std::move(*from);
}

mounts::file_result<mounts::written_file> write_whole(mounts::file_store& into, const mounts::file_path& path,
                                                      const shared_pieces& pieces,
                                                      const mounts::file_condition& condition) {
    auto begun = into.begin(path, condition);
    if (!begun) return begun.error();
    for (const auto& each : pieces)
        if (auto written = (*begun)->write(*each); !written) return written.error();
    auto done = (*begun)->commit();
    if (done) into.keep_sha256(done->info.version, done->sha256);
    return done;
}

}  // namespace

result<mounts::file_path> parse_path(std::string_view written) { return to_result(mounts::file_path::parse(written)); }

awaitable<result<mounts::file_page>> list(shared_store from, asio::thread_pool& pool, std::string prefix,
                                          std::string cursor, std::size_t limit) {
    auto parsed = mounts::parse_prefix(prefix);
    if (!parsed) co_return to_failure(parsed.error());
    auto ask = [from, prefix = std::move(*parsed), cursor = std::move(cursor), limit] {
        auto page = from->list(prefix, cursor, limit);
        if (page) std::erase_if(page->items, [](const auto& each) { return !http::is_utf8(each.path); });
        return page;
    };
    auto listed = co_await run_on(pool, std::move(ask));
    co_return to_result(std::move(listed));
}

awaitable<result<mounts::file_info>> stat(shared_store from, asio::thread_pool& pool, mounts::file_path path) {
    auto ask = [from, path = std::move(path)] { return from->stat(path); };
    auto found = co_await run_on(pool, std::move(ask));
    co_return to_result(std::move(found));
}

awaitable<result<bool>> remove(shared_store from, asio::thread_pool& pool, mounts::file_path path,
                               mounts::file_condition condition) {
    auto ask = [from, path = std::move(path), condition = std::move(condition)] {
        return from->remove(path, condition);
    };
    auto removed = co_await run_on(pool, std::move(ask));
    co_return to_result(std::move(removed));
}

awaitable<result<mounts::written_file>> write(shared_store into, asio::thread_pool& pool, mounts::file_path path,
                                              shared_pieces pieces, mounts::file_condition condition) {
    auto put = [into, path = std::move(path), pieces = std::move(pieces), condition = std::move(condition)] {
        return write_whole(*into, path, pieces, condition);
    };
    auto written = co_await run_on(pool, std::move(put));
    co_return to_result(std::move(written));
}

awaitable<result<mounts::written_file>> write(shared_store into, asio::thread_pool& pool, mounts::file_path path,
                                              std::string bytes, mounts::file_condition condition) {
    shared_pieces one{std::make_shared<const std::string>(std::move(bytes))};
    return write(std::move(into), pool, std::move(path), std::move(one), std::move(condition));
}

}  // namespace gateway::files
