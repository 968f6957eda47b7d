#include "gateway/files/digest.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gateway/base/base64.hpp"
#include "gateway/base/hex.hpp"
#include "gateway/http/text.hpp"
#include "mounts/sha256.hpp"

namespace gateway::files {
namespace {

// Other work comes between; a few milliseconds each.
constexpr std::uint64_t step_bytes = 4 << 20;

}  // namespace

bool wants_digest(const http::request& asked) {
    const auto header = asked.header("want-repr-digest");
    for (auto each : http::split_list(header)) {
        const auto name = http::trim(each.substr(0, each.find('=')));
        if (http::equals_ignoring_case(name, "sha-256") && !each.ends_with("=0")) return true;
    }
    return false;
}

awaitable<result<std::string>> digest_of(shared_store store, std::shared_ptr<mounts::open_file> file,
                                         asio::thread_pool& pool) {
    const auto& info = file->info();
    if (auto known = store->find_sha256(info.version)) co_return *known;
    auto digest = std::make_shared<mounts::sha256>();
    for (std::uint64_t at = 0; at < info.size;) {
        auto step = [file, digest, at, count = std::min(step_bytes, info.size - at)] {
            auto bytes = file->read(at, static_cast<std::size_t>(count));
            if (bytes) digest->add(*bytes);
            return bytes ? mounts::file_result<std::size_t>(bytes->size()) : bytes.error();
        };
        auto done = co_await run_on(pool, std::move(step));
        if (!done) co_return to_failure(done.error());
        if (*done == 0)
            co_return failure{errc::io_error, fmt::format("{} became shorter while it was read: ask again", info.path)};
        at += *done;
    }
    auto hex = digest->finish();
    store->keep_sha256(info.version, hex);
    co_return hex;
}

std::string to_digest_header(const std::string& hex) {
    return fmt::format("sha-256=:{}:", to_base64(from_hex(hex).value()));
}

}  // namespace gateway::files
