#include "gateway/server/front_page.hpp"

#include <utility>

namespace gateway::server {
namespace {

// Links are relative, and so right below any base URL and behind any proxy.
constexpr const char* page = R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Cellgate</title>
<h1>Cellgate</h1>
<p>A Jupyter kernel gateway that is also a place for AI agents to run code. It has no pages to work in; its clients
send a key, as <code>Authorization: Bearer KEY</code>.</p>
<ul>
<li>The API for agents is below <code>api/v1</code>; <a href="api/v1/openapi.json">its description</a> is OpenAPI.</li>
<li>The Jupyter API is below <a href="api">api</a>. JupyterLab works here when it is started with
<code>jupyter lab --gateway-url=URL --GatewayClient.auth_token=KEY</code>, where URL is this page's.</li>
<li>The documentation is in README.md and docs/ of the source: api.md for agents, jupyter.md for Jupyter clients.</li>
</ul>
</html>
)";

awaitable<http::response> get_page(http::request&) {
    http::response answer;
    answer.content_type = "text/html; charset=utf-8";
    answer.headers.emplace_back("Content-Security-Policy", "default-src 'none'");
    answer.body = std::string(page);
    co_return answer;
}

}  // namespace

void add_front_page(http::router& routes) {
    http::route added;
    added.method = "GET";
    added.pattern = "/";
    added.needed = http::scope::none;
    added.handle = get_page;
    routes.add(std::move(added));
}

}  // namespace gateway::server
