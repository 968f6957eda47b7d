#include "gateway/api/helpers/endpoint.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "gateway/base/ids.hpp"
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

failure no_key() {
    return {
        errc::unauthorized,
        "this session's key is missing or no longer valid: the session has ended, or its kernel was restarted; call "
        "from a cell of a running session"};
}

http::response refuse_request(const http::request& from, const std::string&, const failure& why) {
    return refuse(from, why);
}

http::server_options options_for(const std::string& path, const endpoint::limits& bounds) {
    http::server_options made;
    made.unix_socket = path;
    made.max_body_bytes = bounds.large_body_bytes;
    made.max_bodies_bytes = bounds.bodies_bytes;
    made.max_body_advice = "a helper's call cannot be larger; write the data to a file that the tool can read";
    made.max_connections = bounds.connections;
    made.cancel_abandoned = true;  // an interrupted cell's call
    return made;
}

}  // namespace

struct endpoint::implementation {
    implementation(executor ex, std::string directory, session_finder find_session, limits bounds)
        : bounds(bounds),
          directory(std::move(directory)),
          find_session(std::move(find_session)),
          server(ex, options_for(this->directory + "/" + socket_name, bounds), routes, keys) {}

    std::optional<std::string> find(const http::request& from) const;
    http::route make_route(std::string method, std::string path, helper_handler what, refusal without_key);

    limits bounds;
    std::string directory;
    session_finder find_session;
    no_keys keys;
    http::router routes;
    http::server server;
};

std::optional<std::string> endpoint::implementation::find(const http::request& from) const {
    auto key = from.header(key_header);
    return key.empty() ? std::nullopt : find_session(key);
}

http::route endpoint::implementation::make_route(std::string method, std::string path, helper_handler what,
                                                 refusal without_key) {
    http::route made;
    made.method = std::move(method);
    made.pattern = std::move(path);
    made.needed = http::scope::none;
    made.errors = http::error_style::agent;
    made.admit = [this, without_key](const http::request& from) -> std::optional<http::response> {
        if (find(from)) return std::nullopt;
        return without_key(from, make_id("log_"), no_key());
    };
    // The session may have ended while the body came.
    made.handle = [this, what = std::move(what),
                   without_key = std::move(without_key)](http::request& from) -> awaitable<http::response> {
        auto session = find(from);
        auto log_id = make_id("log_");
        if (!session) co_return without_key(from, log_id, no_key());
        helper_call call{*session, from, std::move(log_id)};
        co_return co_await what(std::move(call));
    };
    return made;
}

endpoint::endpoint(executor ex, std::string directory, session_finder find_session)
    : endpoint(std::move(ex), std::move(directory), std::move(find_session), limits{}) {}

endpoint::endpoint(executor ex, std::string directory, session_finder find_session, limits bounds)
    : implementation_(
          std::make_unique<implementation>(std::move(ex), std::move(directory), std::move(find_session), bounds)) {}

endpoint::~endpoint() = default;

void endpoint::add(std::string method, std::string path, helper_handler what) {
    add(std::move(method), std::move(path), std::move(what), refuse_request, bodies::small);
}

void endpoint::add(std::string method, std::string path, helper_handler what, refusal without_key, bodies size) {
    auto& self = *implementation_;
    auto made = self.make_route(std::move(method), std::move(path), std::move(what), std::move(without_key));
    if (size == bodies::small) made.max_body_bytes = self.bounds.body_bytes;
    self.routes.add(std::move(made));
}

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
