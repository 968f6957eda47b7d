// The file tools of MCP clients: a piece at a time, what is larger goes by the HTTP routes.
#include <nlohmann/json.hpp>

#include "gateway/api/agent/mime.hpp"
#include "gateway/api/composio/agent_tool_calls.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/base/base64.hpp"
#include "gateway/base/thread_pool.hpp"
#include "gateway/files/file_json.hpp"
#include "gateway/files/store_calls.hpp"
#include "gateway/http/text.hpp"

namespace gateway::api::composio {
namespace {

constexpr std::size_t most_read = 1u << 20;
constexpr std::size_t usual_read = 256u << 10;
constexpr std::size_t usual_page = 100;
constexpr std::size_t most_page = 500;

std::size_t number_of(const json& from, std::size_t otherwise) {
    return from.is_number_unsigned() ? from.get<std::size_t>() : otherwise;
}

// A text may end within a character, as may the next begin.
json content_of(const std::string& bytes) {
    if (http::is_utf8(bytes)) return {{"text", bytes}};
    return {{"base64", to_base64(bytes)}};
}

result<json> read_part(mounts::file_store& store, const mounts::file_path& path, std::uint64_t offset,
                       std::size_t length) {
    auto file = store.open(path);
    if (!file) return files::to_failure(file.error());
    const auto& info = (*file)->info();
    // Past the end is nothing, also where no file can have a byte.
    auto bytes = offset < info.size ? (*file)->read(offset, length) : mounts::file_result<std::string>(std::string());
    if (!bytes) return files::to_failure(bytes.error());
    json made = content_of(*bytes);
    made["path"] = info.path;
    made["size"] = info.size;
    made["version"] = info.version;
    made["offset"] = offset;
    made["is_complete"] = offset >= info.size || bytes->size() >= info.size - offset;
    return result<json>(boost::system::in_place_value, std::move(made));
}

json written_data(const mounts::written_file& from) {
    return {{"path", from.info.path},
            {"size", from.info.size},
            {"version", from.info.version},
            {"sha256", from.sha256},
            {"is_new", from.is_new}};
}

json page_data(const mounts::file_page& from) {
    json made = {{"files", json::array()}};
    for (const auto& each : from.items) made["files"].push_back(files::file_object(each));
    if (from.next) made["next_cursor"] = *from.next;
    return made;
}

// Text or base64, one of them.
result<std::string> bytes_of(const json& arguments) {
    if (arguments.contains("text") == arguments.contains("base64"))
        return failure{errc::invalid_request, "a file has text or base64, one of them"};
    if (arguments.contains("text")) return text_member(arguments, "text");
    auto decoded = from_base64(text_member(arguments, "base64"));
    if (!decoded) return failure{errc::invalid_request, "base64 is not what RFC 4648 calls so, with its padding"};
    return std::move(*decoded);
}

}  // namespace

awaitable<tool_outcome> list_session_files(shared_agent_call call) {
    const auto& arguments = *call->arguments;
    const auto limit = number_of(member(arguments, "limit"), usual_page);
    failure wrong{errc::invalid_request, "limit must be from 1 to 500"};
    if (limit < 1 || limit > most_page) co_return refused_outcome(wrong);
    auto prefix = text_member(arguments, "prefix");
    auto cursor = text_member(arguments, "cursor");
    auto page = co_await files::list(call->session->files(), *call->with.options.pool, std::move(prefix),
                                     std::move(cursor), limit);
    if (!page) co_return refused_outcome(page.error());
    co_return good_outcome(page_data(*page));
}

awaitable<tool_outcome> read_session_file(shared_agent_call call) {
    const auto& arguments = *call->arguments;
    auto path = files::parse_path(text_member(arguments, "path"));
    if (!path) co_return refused_outcome(path.error());
    const auto offset = number_of(member(arguments, "offset"), 0);
    const auto length = number_of(member(arguments, "length"), usual_read);
    failure wrong{errc::invalid_request, "length must be from 1 to 1048576"};
    if (length < 1 || length > most_read) co_return refused_outcome(wrong);
    auto work = [store = call->session->files(), path = *path, offset, length] {
        return read_part(*store, path, offset, length);
    };
    auto read = co_await run_on(*call->with.options.pool, std::move(work));
    if (!read) co_return refused_outcome(read.error());
    co_return good_outcome(*read);
}

awaitable<tool_outcome> write_session_file(shared_agent_call call) {
    auto path = files::parse_path(text_member(*call->arguments, "path"));
    if (!path) co_return refused_outcome(path.error());
    auto bytes = bytes_of(*call->arguments);
    if (!bytes) co_return refused_outcome(bytes.error());
    auto written =
        co_await files::write(call->session->files(), *call->with.options.pool, std::move(*path), std::move(*bytes));
    if (!written) co_return refused_outcome(written.error());
    co_return good_outcome(written_data(*written));
}

}  // namespace gateway::api::composio
