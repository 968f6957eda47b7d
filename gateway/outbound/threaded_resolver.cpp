#include "gateway/outbound/threaded_resolver.hpp"

#include <netdb.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <cstring>
#include <memory>
#include <optional>

namespace gateway::outbound {
namespace {

// What the look-ups of one resolver share.
struct room {
    room(executor on, asio::thread_pool& threads, std::size_t most, blocking_lookup how)
        : ex(on), pool(threads), most_at_once(most), by(std::move(how)), one_ended(std::move(on)) {}
    executor ex;
    asio::thread_pool& pool;
    std::size_t most_at_once;
    blocking_lookup by;
    std::size_t running = 0;
    event one_ended;
};

struct lookup {
    explicit lookup(executor ex) : done(std::move(ex)) {}
    event done;
    std::optional<result<addresses>> found;
};

// Everything travels to the pool and back, so that nothing of the io thread's is ever destroyed there.
void start(std::shared_ptr<room> in, std::shared_ptr<lookup> of, std::string name) {
    ++in->running;
    auto guard = asio::make_work_guard(in->ex);
    auto& pool = in->pool;
    auto job = [in = std::move(in), of = std::move(of), name = std::move(name), guard = std::move(guard)]() mutable {
        auto ex = in->ex;
        auto found = in->by(name);
        auto back = [in = std::move(in), of = std::move(of), found = std::move(found),
                     guard = std::move(guard)]() mutable {
            --in->running;
            in->one_ended.notify_all();
            of->found = std::move(found);
            of->done.notify_all();
        };
        asio::post(ex, std::move(back));
    };
    asio::post(pool, std::move(job));
}

awaitable<result<addresses>> ask(std::shared_ptr<room> in, std::string name) {
    while (in->running >= in->most_at_once) co_await in->one_ended.wait();
    auto mine = std::make_shared<lookup>(in->ex);
    start(in, mine, std::move(name));
    co_await mine->done.wait();
    if (!mine->found) co_return failure{errc::cancelled, "the look-up was left"};
    co_return std::move(*mine->found);
}

}  // namespace

result<addresses> system_lookup(const std::string& name) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_ADDRCONFIG;
    addrinfo* listed = nullptr;
    int failed = ::getaddrinfo(name.c_str(), nullptr, &hints, &listed);
    if (failed != 0) return failure{errc::unavailable, "cannot resolve " + name + ": " + ::gai_strerror(failed)};
    std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(listed, ::freeaddrinfo);
    addresses found;
    for (auto* each = listed; each; each = each->ai_next) {
        asio::ip::tcp::endpoint endpoint;
        if (each->ai_addrlen > endpoint.capacity()) continue;
        std::memcpy(endpoint.data(), each->ai_addr, each->ai_addrlen);
        found.push_back(endpoint.address());
    }
    return found;
}

resolver make_threaded_resolver(executor ex, asio::thread_pool& pool, std::size_t most_at_once, blocking_lookup by) {
    auto shared = std::make_shared<room>(std::move(ex), pool, most_at_once, std::move(by));
    return [shared](std::string name) { return ask(shared, std::move(name)); };
}

}  // namespace gateway::outbound
