// …/mounts/{mount}/…: the session's files as the SDKs see them; their bytes go by signed links (gateway/files).
#include <algorithm>
#include <nlohmann/json.hpp>

#include "gateway/api/composio/context.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/base/ids.hpp"
#include "gateway/files/links.hpp"
#include "gateway/files/store_calls.hpp"

namespace gateway::api::composio {
namespace {

constexpr const char* only_mount = "files";
constexpr std::size_t usual_page = 100;
constexpr std::size_t most_page = 500;
constexpr std::size_t most_mimetype_bytes = 200;

// A member of the answers, all of which say where the file is in the sandbox.
json placed(const std::string& path) {
    return {{"mount_relative_path", path}, {"sandbox_mount_prefix", mounts::files_in_box}};
}

result<found_session> find_mount(context& with, const http::request& from) {
    auto found = find_session(with, from);
    if (!found) return found.error();
    const auto& mount = from.parameters.at(1);
    if (mount == only_mount) return found;
    return failure{errc::not_found, "there is no mount " + mount.substr(0, 100) + ": a session's mount is files"};
}

// Or none. What it says is a header's value.
bool is_mimetype(const json& what) {
    if (what.is_null()) return true;
    if (!what.is_string()) return false;
    const auto& text = what.get_ref<const std::string&>();
    auto is_control = [](unsigned char byte) { return byte < 0x20 || byte == 0x7f; };
    return text.size() <= most_mimetype_bytes && std::none_of(text.begin(), text.end(), is_control);
}

struct file_request {
    found_session session;
    mounts::file_path path;
};

// Of a body {mount_relative_path, mimetype?}.
result<file_request> read_file_request(context& with, const http::request& from) {
    auto found = find_mount(with, from);
    if (!found) return found.error();
    auto body = read_body(from.body);
    if (!body) return body.error();
    const auto& written = member(**body, "mount_relative_path");
    if (written.is_null())
        return failure{errc::invalid_request, "Validation error: Required at \"mount_relative_path\""};
    if (!written.is_string()) return failure{errc::invalid_request, "mount_relative_path must be a string"};
    if (!is_mimetype(member(**body, "mimetype")))
        return failure{errc::invalid_request, "mimetype must be a string such as \"text/csv\""};
    auto path = files::parse_path(written.get_ref<const std::string&>());
    if (!path) return path.error();
    return file_request{std::move(*found), std::move(*path)};
}

json page_of(const mounts::file_page& from) {
    json made = {{"items", json::array()}};
    for (const auto& each : from.items) {
        auto item = placed(each.path);
        item["size"] = each.size;
        item["last_modified"] = iso8601(each.modified);
        made["items"].push_back(std::move(item));
    }
    // Absent on the last page: the clients take no null here.
    if (from.next) made["next_cursor"] = *from.next;
    return made;
}

// The clients take one slash off: "/mnt/files/a" comes as "mnt/files/a".
std::string prefix_of(const http::request& from) {
    auto written = from.find_query("mount_relative_prefix").value_or("");
    const auto whole = "/" + written;
    const bool is_of_sandbox =
        whole == mounts::files_in_box || whole.starts_with(std::string(mounts::files_in_box) + "/");
    return is_of_sandbox ? whole : written;
}

awaitable<http::response> list_items(context& with, http::request& from) {
    auto found = find_mount(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto limit = read_limit(from, usual_page, most_page);
    if (!limit) co_return refuse(limit.error(), from);
    auto prefix = prefix_of(from);
    auto cursor = from.find_query("cursor").value_or("");
    auto page =
        co_await files::list(found->session->files(), *with.options.pool, std::move(prefix), std::move(cursor), *limit);
    if (!page) co_return refuse(page.error(), from);
    co_return http::json_response(to_text(page_of(*page)));
}

// A link that needs no key beside it.
http::response link_answer(context& with, const http::request& from, const file_request& of, files::link_use use) {
    const auto& links = *with.options.links;
    auto base = links.base_for(from);
    if (!base) return refuse(base.error(), from);
    const auto link = links.make(*base, use, of.session.session->id(), of.path, links.default_life());
    auto made = placed(of.path.text());
    made[use == files::link_use::upload ? "upload_url" : "download_url"] = link.url;
    made["expires_at"] = iso8601(link.expires);
    return http::json_response(to_text(made), 201);
}

awaitable<http::response> upload_url(context& with, http::request& from) {
    auto asked = read_file_request(with, from);
    if (!asked) co_return refuse(asked.error(), from);
    co_return link_answer(with, from, *asked, files::link_use::upload);
}

awaitable<http::response> download_url(context& with, http::request& from) {
    auto asked = read_file_request(with, from);
    if (!asked) co_return refuse(asked.error(), from);
    // Here rather than behind the link: this answer says in words what is missing.
    auto there = co_await files::stat(asked->session.session->files(), *with.options.pool, asked->path);
    if (!there) co_return refuse(there.error(), from);
    co_return link_answer(with, from, *asked, files::link_use::download);
}

// A file or a directory; that there is none is no error.
awaitable<http::response> remove_item(context& with, http::request& from) {
    auto asked = read_file_request(with, from);
    if (!asked) co_return refuse(asked.error(), from);
    auto removed = co_await files::remove(asked->session.session->files(), *with.options.pool, asked->path);
    if (!removed) co_return refuse(removed.error(), from);
    co_return http::json_response(to_text(placed(asked->path.text())));
}

}  // namespace

void add_mount_routes(http::router& routes, const std::shared_ptr<context>& with) {
    using http::scope;
    add_route(routes, with, "GET", "/{}/mounts/{}/items", scope::execute, list_items);
    add_route(routes, with, "POST", "/{}/mounts/{}/upload_url", scope::execute, upload_url);
    add_route(routes, with, "POST", "/{}/mounts/{}/download_url", scope::execute, download_url);
    add_route(routes, with, "POST", "/{}/mounts/{}/delete", scope::execute, remove_item);
}

}  // namespace gateway::api::composio
