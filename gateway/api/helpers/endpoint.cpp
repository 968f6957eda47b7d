#include "gateway/api/helpers/endpoint.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "gateway/api/helpers/execute_request.hpp"
#include "gateway/base/ids.hpp"
#include "gateway/base/log.hpp"
#include "gateway/http/server.hpp"

namespace gateway::api::helpers {
namespace {

constexpr const char* key_header = "x-cellgate-session-key";

// Helpers carry a session's key, which the handler looks up; API keys mean nothing on this socket.
class no_keys final : public http::authenticator {
  public:
    std::optional<http::principal> find(const std::optional<std::string>&) override { return http::principal(); }
    bool requires_key() const override { return true; }
};

http::server_options options_for(const std::string& path, const endpoint::limits& bounds) {
    http::server_options made;
    made.unix_socket = path;
    made.max_body_bytes = bounds.body_bytes;
    made.max_body_advice = "a tool call cannot be larger; write the data to a file that the tool can read";
    made.max_connections = bounds.connections;
    made.cancel_abandoned = true;  // an interrupted cell's call
    return made;
}

// A slug comes from code in a kernel: it must not be able to write a line of the log by itself.
std::string shown(const std::string& slug) {
    std::string made = slug.substr(0, 100);
    std::replace_if(
        made.begin(), made.end(), [](char letter) { return letter < 0x21 || letter > 0x7e; }, '?');
    return made;
}

http::response refuse(const failure& why, const std::string& log_id) {
    return http::json_response(failure_body(why.message, log_id), http_status(why.code));
}

}  // namespace

struct endpoint::implementation {
    implementation(executor ex, std::string directory, tools::toolbox& tools, session_finder find_session,
                   limits bounds)
        : directory(std::move(directory)),
          tools(tools),
          find_session(std::move(find_session)),
          server(ex, options_for(this->directory + "/" + socket_name, bounds), routes, keys) {
        http::route execute;
        execute.method = "POST";
        execute.pattern = "/v1/tools/execute";
        execute.needed = http::scope::none;
        execute.errors = http::error_style::agent;
        execute.handle = [this](http::request& from) { return this->execute(from); };
        routes.add(std::move(execute));
    }

    awaitable<http::response> execute(http::request& from);
    awaitable<http::response> call(std::string session, execute_request what, std::string log_id);

    std::string directory;
    tools::toolbox& tools;
    session_finder find_session;
    no_keys keys;
    http::router routes;
    http::server server;
};

awaitable<http::response> endpoint::implementation::execute(http::request& from) {
    auto log_id = make_id("log_");
    auto key = from.header(key_header);
    auto session = key.empty() ? std::nullopt : find_session(key);
    if (!session) {
        failure why{errc::unauthorized,
                    "this session's key is missing or no longer valid: the session has ended, or its "
                    "kernel was restarted; call from a cell of a running session"};
        co_return refuse(why, log_id);
    }
    auto what = parse_execute_request(from.body);
    if (!what) co_return refuse(what.error(), log_id);
    co_return co_await call(*session, std::move(*what), std::move(log_id));
}

awaitable<http::response> endpoint::implementation::call(std::string session, execute_request what,
                                                         std::string log_id) {
    auto started = std::chrono::steady_clock::now();
    auto answer = co_await tools.execute(what.tool_slug, what.arguments);
    auto spent = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - started).count();
    if (answer) {
        log::debug("session {} called {}: {} bytes in {} ms", session, shown(what.tool_slug), answer->size(), spent);
        co_return http::json_response(std::move(*answer));
    }
    auto why = answer.error();
    log::info("session {} called {}: {} after {} ms, {}", session, shown(what.tool_slug), to_string(why.code), spent,
              log_id);
    co_return refuse(why, log_id);
}

endpoint::endpoint(executor ex, std::string directory, tools::toolbox& tools, session_finder find_session)
    : endpoint(std::move(ex), std::move(directory), tools, std::move(find_session), limits{}) {}

endpoint::endpoint(executor ex, std::string directory, tools::toolbox& tools, session_finder find_session,
                   limits bounds)
    : implementation_(std::make_unique<implementation>(std::move(ex), std::move(directory), tools,
                                                       std::move(find_session), bounds)) {}

endpoint::~endpoint() = default;

result<void> endpoint::listen() {
    const auto& directory = implementation_->directory;
    if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
        return failure{errc::io_error, "cannot make " + directory + ": " + std::strerror(errno)};
    return implementation_->server.listen();
}

awaitable<void> endpoint::run() { co_await implementation_->server.run(); }

awaitable<void> endpoint::stop() {
    co_await implementation_->server.stop();
    ::unlink((implementation_->directory + "/" + socket_name).c_str());
}

}  // namespace gateway::api::helpers
