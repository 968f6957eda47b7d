#include "gateway/files/upload.hpp"

#include <nlohmann/json.hpp>

#include "gateway/files/digest.hpp"
#include "gateway/files/file_json.hpp"
#include "gateway/http/entity_tag.hpp"
#include "gateway/http/text.hpp"

namespace gateway::files {
namespace {

using shared_upload = std::shared_ptr<mounts::upload>;

http::response refuse(const failure& why, const http::request& asked) {
    const int status = why.code == errc::timeout ? 408 : 0;  // the client's silence, not another server's
    return http::error_response(why, http::error_style::agent, asked.id, status);
}

// What is stored is what comes: a piece would take the place of the whole file, and an encoding would be forgotten.
result<void> check_whole(const http::request& asked) {
    if (asked.headers.count("content-range") != 0)
        return failure{errc::invalid_request, "Content-Range is not taken: send the whole file, without it"};
    const auto given = asked.header("content-encoding");
    const auto encoding = http::trim(given);
    if (!encoding.empty() && encoding != "identity")
        return failure{errc::invalid_request,
                       "Content-Encoding is not taken: send the file as it is to be stored, without it"};
    return {};
}

awaitable<result<void>> write_all(shared_upload into, asio::thread_pool& pool, http::request& asked) {
    while (true) {
        auto piece = co_await asked.body_pieces();
        if (!piece) co_return piece.error();
        if (!*piece) co_return result<void>();
        auto write = [into, bytes = std::move(**piece)] { return into->write(bytes); };
        auto written = co_await run_on(pool, std::move(write));
        if (!written) co_return to_failure(written.error());
    }
}

http::response tell(const mounts::written_file& written) {
    auto body = file_object(written.info);
    body["sha256"] = written.sha256;
    auto answer = http::json_response(body.dump(), written.is_new ? 201 : 200);
    answer.headers.emplace_back("ETag", http::entity_tag(written.info.version));
    answer.headers.emplace_back("Repr-Digest", to_digest_header(written.sha256));
    return answer;
}

}  // namespace

result<mounts::file_condition> read_condition(const http::request& asked) {
    mounts::file_condition made;
    const auto match = asked.header("if-match"), none = asked.header("if-none-match");
    if (!none.empty() && http::trim(none) != "*")
        return failure{errc::invalid_request,
                       "If-None-Match can only be * here: write only when there is no such file"};
    made.must_not_exist = !none.empty();
    if (asked.headers.count("if-match") == 0) return made;
    const auto tags = http::parse_tags(match);
    if (!tags || (!tags->any && tags->strong.empty()))
        return failure{errc::invalid_request, "If-Match must be * or versions in quotes, as ETag has them"};
    made.must_exist = true;
    made.versions = tags->strong;
    return made;
}

awaitable<http::response> upload(shared_store into, asio::thread_pool& pool, mounts::file_path path,
                                 http::request& asked) {
    if (auto whole = check_whole(asked); !whole) co_return refuse(whole.error(), asked);
    auto condition = read_condition(asked);
    if (!condition) co_return refuse(condition.error(), asked);
    auto begin = [into, path = std::move(path), condition = *condition] { return into->begin(path, condition); };
    auto begun = co_await run_on(pool, std::move(begin));
    if (!begun) co_return refuse(to_failure(begun.error()), asked);
    auto file = end_on(pool, std::move(*begun));
    auto done = co_await write_all(file, pool, asked);
    if (!done) co_return refuse(done.error(), asked);
    auto commit = [file] { return file->commit(); };
    auto written = co_await run_on(pool, std::move(commit));
    if (!written) co_return refuse(to_failure(written.error()), asked);
    into->keep_sha256(written->info.version, written->sha256);
    co_return tell(*written);
}

}  // namespace gateway::files
