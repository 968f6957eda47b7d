#include "messaging/kernel_sockets.hpp"

#include <fcntl.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <list>
#include <optional>
#include <utility>
#include <zmq.hpp>

#include "messaging/signer.hpp"
#include "messaging/wire.hpp"
#include "messaging/zmq_stream.hpp"

namespace messaging {

namespace asio = boost::asio;

namespace {

constexpr int max_sockets = 65'536;
constexpr std::array<channel, 4> channels = {channel::shell, channel::control, channel::stdin_channel, channel::iopub};

int port_of(const connection_info& info, channel where) {
    switch (where) {
        case channel::shell:
            return info.shell_port;
        case channel::control:
            return info.control_port;
        case channel::stdin_channel:
            return info.stdin_port;
        case channel::iopub:
            return info.iopub_port;
    }
    return 0;
}

// Where to connect. A Unix socket's address holds 107 bytes; a longer path is reached through a descriptor of its
// directory, which this keeps open because ZeroMQ reconnects by the same address.
class address_book {
  public:
    explicit address_book(const connection_info& info) : info_(info) {
        if (info_.transport != "ipc" || info_.ip.size() + longest_suffix < sizeof(sockaddr_un::sun_path)) return;
        auto slash = info_.ip.rfind('/');
        if (slash == std::string::npos) return;
        directory_ = ::open(info_.ip.substr(0, slash + 1).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (directory_ >= 0) info_.ip = "/proc/self/fd/" + std::to_string(directory_) + info_.ip.substr(slash);
    }
    ~address_book() {
        if (directory_ >= 0) ::close(directory_);
    }
    address_book(const address_book&) = delete;
    address_book& operator=(const address_book&) = delete;

    std::string endpoint(int port) const { return info_.endpoint(port); }

  private:
    static constexpr std::size_t longest_suffix = 6;  // "-65535"
    connection_info info_;
    int directory_ = -1;
};

}  // namespace

struct zmq_context::implementation {
    zmq::context_t context{1, max_sockets};
};

zmq_context::zmq_context() : implementation_(std::make_unique<implementation>()) {}

zmq_context::~zmq_context() = default;

void* zmq_context::native() const { return implementation_->context.handle(); }

struct kernel_sockets::implementation : std::enable_shared_from_this<implementation> {
    struct beat {
        beat(asio::any_io_executor ex, std::string payload) : timer(std::move(ex)), payload(std::move(payload)) {}
        asio::steady_timer timer;
        std::string payload;
        bool answered = false;
    };

    implementation(asio::any_io_executor ex, void* context, const connection_info& info,
                   std::function<void(message)> on_message,
                   std::function<void(channel, boost::system::error_code)> on_invalid)
        : ex(std::move(ex)),
          context(context),
          info(info),
          addresses(info),
          keys(signer::make(info.key, info.signature_scheme)),
          on_message(std::move(on_message)),
          on_invalid(std::move(on_invalid)) {}

    void open();
    result<zmq_stream> open_channel(channel where, const std::string& id);
    result<zmq_stream> open_heartbeat();
    void refuse_later(channel where, boost::system::error_code why);
    void take(channel where, result<frames> arrived);
    void take_echo(const result<frames>& arrived);
    result<void> send(const message& what);
    std::shared_ptr<beat> start_beat(int limit_ms);
    void close();

    static asio::awaitable<bool> heartbeat(std::shared_ptr<implementation> self, int limit_ms);

    asio::any_io_executor ex;
    void* context;
    connection_info info;
    address_book addresses;
    result<signer> keys;
    std::function<void(message)> on_message;
    std::function<void(channel, boost::system::error_code)> on_invalid;
    std::array<result<zmq_stream>, channels.size()> streams = {errc::cancelled, errc::cancelled, errc::cancelled,
                                                               errc::cancelled};
    std::optional<result<zmq_stream>> echo;  // opened by the first heartbeat: most kernels are never asked
    std::list<std::shared_ptr<beat>> beats;
    std::uint64_t beats_sent = 0;
    bool closed = false;
};

void kernel_sockets::implementation::open() {
    // A kernel routes input_request to the identity of the request's sender: stdin must have that of shell.
    std::string id = make_id();
    for (auto where : channels) {
        auto& stream = streams[static_cast<std::size_t>(where)];
        stream = keys ? open_channel(where, id) : result<zmq_stream>(keys.error());
        if (!stream) refuse_later(where, stream.error());
    }
}

result<zmq_stream> kernel_sockets::implementation::open_channel(channel where, const std::string& id) {
    bool publishes = where == channel::iopub;
    zmq_stream::options how{publishes ? zmq_stream::kind::subscriber : zmq_stream::kind::dealer,
                            publishes ? std::string() : id, addresses.endpoint(port_of(info, where))};
    // The lock keeps all of this alive while a callback destroys its owner.
    return zmq_stream::open(ex, context, how, [weak = weak_from_this(), where](result<frames> arrived) {
        if (auto self = weak.lock()) self->take(where, std::move(arrived));
    });
}

result<zmq_stream> kernel_sockets::implementation::open_heartbeat() {
    zmq_stream::options how{zmq_stream::kind::dealer, {}, addresses.endpoint(info.hb_port)};
    return zmq_stream::open(ex, context, how, [weak = weak_from_this()](result<frames> arrived) {
        if (auto self = weak.lock()) self->take_echo(arrived);
    });
}

void kernel_sockets::implementation::refuse_later(channel where, boost::system::error_code why) {
    asio::post(ex, [self = shared_from_this(), where, why] {
        if (!self->closed) self->on_invalid(where, why);
    });
}

void kernel_sockets::implementation::take(channel where, result<frames> arrived) {
    if (closed) return;
    if (!arrived) return on_invalid(where, arrived.error());
    auto decoded = decode_wire(std::move(*arrived), where, *keys);
    if (decoded)
        on_message(std::move(*decoded));
    else
        on_invalid(where, decoded.error());
}

void kernel_sockets::implementation::take_echo(const result<frames>& arrived) {
    if (!arrived) return;
    for (const auto& waiting : beats) {
        if (arrived->back() != waiting->payload) continue;
        waiting->answered = true;
        waiting->timer.cancel();
    }
}

result<void> kernel_sockets::implementation::send(const message& what) {
    auto& stream = streams[static_cast<std::size_t>(what.where)];
    if (!keys) return keys.error();
    if (!stream) return stream.error();
    if (what.where == channel::iopub) return errc::bad_channel;
    // Frame by frame from the message's own bytes: ZeroMQ makes the only copy.
    for (const auto& identity : what.identities)
        if (auto sent = stream->send(identity, true); !sent) return sent;
    auto signature = keys->sign({what.header, what.parent_header, what.metadata, what.content});
    for (std::string_view part : {delimiter, std::string_view(signature), std::string_view(what.header),
                                  std::string_view(what.parent_header), std::string_view(what.metadata)})
        if (auto sent = stream->send(part, true); !sent) return sent;
    std::size_t left = what.buffers.size();
    auto sent = stream->send(what.content, left > 0);
    for (const auto& buffer : what.buffers) {
        if (!sent) return sent;
        sent = stream->send(buffer, --left > 0);
    }
    return sent;
}

std::shared_ptr<kernel_sockets::implementation::beat> kernel_sockets::implementation::start_beat(int limit_ms) {
    if (closed) return nullptr;
    if (!echo) echo = open_heartbeat();
    auto& stream = *echo;
    auto made = std::make_shared<beat>(ex, std::to_string(++beats_sent));
    made->timer.expires_after(std::chrono::milliseconds(limit_ms));
    // The empty frame is the envelope that a REP kernel expects; a ROUTER one echoes it.
    if (!stream || !stream->send({}, true) || !stream->send(made->payload, false)) return nullptr;
    beats.push_back(made);
    return made;
}

asio::awaitable<bool> kernel_sockets::implementation::heartbeat(std::shared_ptr<implementation> self, int limit_ms) {
    auto waiting = self->start_beat(limit_ms);
    if (!waiting) co_return false;
    co_await waiting->timer.async_wait(asio::as_tuple(asio::use_awaitable));
    self->beats.remove(waiting);
    co_return waiting->answered;
}

void kernel_sockets::implementation::close() {
    closed = true;
    for (auto& stream : streams)
        if (stream) stream->close();
    if (echo && *echo) (*echo)->close();
    for (const auto& waiting : beats) waiting->timer.cancel();
}

kernel_sockets::kernel_sockets(asio::any_io_executor ex, zmq_context& context, const connection_info& info,
                               std::function<void(message)> on_message,
                               std::function<void(channel, boost::system::error_code)> on_invalid)
    : implementation_(std::make_shared<implementation>(std::move(ex), context.native(), info, std::move(on_message),
                                                       std::move(on_invalid))) {
    implementation_->open();
}

kernel_sockets::~kernel_sockets() { implementation_->close(); }

result<void> kernel_sockets::send(const message& what) { return implementation_->send(what); }

bool kernel_sockets::kernel_has_ended() {
    bool ended = true;
    for (auto& stream : implementation_->streams) ended = (!stream || stream->peer_has_ended()) && ended;
    return ended;
}

asio::awaitable<bool> kernel_sockets::heartbeat(int limit_ms) {
    return implementation::heartbeat(implementation_, limit_ms);
}

}  // namespace messaging
