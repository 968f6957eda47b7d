#include "gateway/files/download.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gateway/base/log.hpp"
#include "gateway/files/digest.hpp"
#include "gateway/http/byte_range.hpp"
#include "gateway/http/entity_tag.hpp"
#include "gateway/http/file_headers.hpp"

namespace gateway::files {
namespace {

constexpr std::size_t piece_bytes = 256 << 10;

using shared_file = std::shared_ptr<mounts::open_file>;

class sender {
  public:
    sender(shared_file file, asio::thread_pool& pool, http::byte_range part)
        : file_(std::move(file)), pool_(pool), at_(part.first), left_(part.length) {}

    awaitable<std::optional<std::string>> next() {
        std::optional<std::string> piece;
        if (left_ == 0) co_return piece;
        auto read = [file = file_, at = at_, count = std::min<std::uint64_t>(left_, piece_bytes)] {
            return file->read(at, static_cast<std::size_t>(count));
        };
        auto bytes = co_await run_on(pool_, std::move(read));
        if (!bytes) log::warning("a download is cut: {}", bytes.error().text);
        if (!bytes || bytes->empty()) co_return piece;
        at_ += bytes->size();
        left_ -= bytes->size();
        piece = std::move(*bytes);
        co_return piece;
    }

  private:
    shared_file file_;
    asio::thread_pool& pool_;
    std::uint64_t at_;
    std::uint64_t left_;
};

http::response refuse(const failure& why, const http::request& asked) {
    return http::error_response(why, http::error_style::agent, asked.id);
}

bool has(const std::vector<std::string>& tags, const std::string& version) {
    return std::find(tags.begin(), tags.end(), version) != tags.end();
}

bool is_known_to_caller(const http::request& asked, const std::string& version) {
    const auto tags = http::parse_tags(asked.header("if-none-match"));
    return tags && (tags->any || has(tags->strong, version) || has(tags->weak, version));
}

result<void> check_match(const http::request& asked, const mounts::file_info& info) {
    if (asked.headers.count("if-match") == 0) return {};
    const auto tags = http::parse_tags(asked.header("if-match"));
    if (!tags) return failure{errc::invalid_request, "If-Match must be * or versions in quotes"};
    if (tags->any || has(tags->strong, info.version)) return {};
    return failure{errc::precondition_failed,
                   fmt::format("{} has another version than If-Match says: read it again without", info.path)};
}

// A range of a file that is no longer the one that the caller has a part of would not fit it.
http::byte_range choose_range(const http::request& asked, const mounts::file_info& info) {
    const auto condition = asked.header("if-range");
    const bool is_same = condition.empty() || condition == http::entity_tag(info.version);
    return http::read_range(is_same ? asked.header("range") : std::string(), info.size);
}

// A page that is opened from here can run nothing, and reach nothing.
void describe(http::response& answer, const mounts::file_info& info) {
    answer.content_type = http::media_type(info.path);
    auto& headers = answer.headers;
    headers.emplace_back("ETag", http::entity_tag(info.version));
    headers.emplace_back("Last-Modified", http::http_date(info.modified));
    headers.emplace_back("Accept-Ranges", "bytes");
    headers.emplace_back("Cache-Control", "private, no-cache");
    headers.emplace_back("Content-Security-Policy", "sandbox; default-src 'none'");
    headers.emplace_back("Content-Disposition", http::attachment(info.path.substr(info.path.rfind('/') + 1)));
}

void set_body(http::response& answer, shared_file file, asio::thread_pool& pool, const http::byte_range& part,
              bool is_head) {
    const auto size = file->info().size;
    if (part.kind == http::range_kind::part) {
        answer.status = 206;
        answer.headers.emplace_back("Content-Range",
                                    fmt::format("bytes {}-{}/{}", part.first, part.first + part.length - 1, size));
    }
    answer.content_length = part.length;
    if (is_head) return;
    auto pieces = std::make_shared<sender>(std::move(file), pool, part);
    answer.body = http::body_source([pieces] { return pieces->next(); });
}

http::response refuse_range(const http::request& asked, const mounts::file_info& info) {
    const failure why{errc::range_not_satisfiable,
                      fmt::format("{} has {} bytes: ask for a range within them", info.path, info.size)};
    auto answer = refuse(why, asked);
    answer.headers.emplace_back("Content-Range", fmt::format("bytes */{}", info.size));
    return answer;
}

}  // namespace

awaitable<http::response> download(shared_store from, asio::thread_pool& pool, mounts::file_path path,
                                   const http::request& asked) {
    auto open = [from, path = std::move(path)] { return from->open(path); };
    auto opened = co_await run_on(pool, std::move(open));
    if (!opened) co_return refuse(to_failure(opened.error()), asked);
    auto file = end_on(pool, std::move(*opened));
    const auto info = file->info();
    if (auto good = check_match(asked, info); !good) co_return refuse(good.error(), asked);
    http::response answer;
    describe(answer, info);
    if (is_known_to_caller(asked, info.version)) {
        answer.status = 304;
        co_return answer;
    }
    auto part = choose_range(asked, info);
    if (part.kind == http::range_kind::unsatisfiable) co_return refuse_range(asked, info);
    if (wants_digest(asked)) {
        auto digest = co_await digest_of(from, file, pool);
        if (!digest) co_return refuse(digest.error(), asked);
        answer.headers.emplace_back("Repr-Digest", to_digest_header(*digest));
    }
    set_body(answer, std::move(file), pool, part, asked.method == "HEAD");
    co_return answer;
}

}  // namespace gateway::files
