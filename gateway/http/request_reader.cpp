#include "gateway/http/request_reader.hpp"

#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <chrono>
#include <functional>
#include <limits>
#include <optional>

#include "gateway/http/head_scanner.hpp"
#include "gateway/http/header_rules.hpp"
#include "gateway/http/pace.hpp"
#include "gateway/http/target.hpp"
#include "gateway/http/text.hpp"

namespace gateway::http {
namespace {

namespace beast = boost::beast;

constexpr auto tuple_awaitable = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t head_piece_bytes = 2048;
constexpr std::size_t read_ahead_bytes = 64 << 10;
// Beast asserts when it is asked again about less than a last chunk ("0\r\n" has come, then one byte more).
constexpr std::size_t shortest_chunk = 5;
constexpr std::size_t piece_bytes = 256 << 10;

// A body as a string that may be taken away while more of it comes. Beast's own sets as much memory aside as a client
// announces.
struct piecewise_body {
    using value_type = std::string;

    class reader {
      public:
        template <bool is_request, class Fields>
        reader(beast::http::header<is_request, Fields>&, value_type& into) : into_(into) {}
        void init(const boost::optional<std::uint64_t>&, error_code& ec) { ec = {}; }
        template <class Buffers>
        std::size_t put(const Buffers& buffers, error_code& ec) {
            ec = {};
            const auto before = into_.size();
            for (const auto each : beast::buffers_range_ref(buffers))
                into_.append(static_cast<const char*>(each.data()), each.size());
            return into_.size() - before;
        }
        void finish(error_code& ec) { ec = {}; }

      private:
        value_type& into_;
    };
};

using parser = beast::http::request_parser<piecewise_body>;

bool is_gone(const error_code& ec) {
    return ec.category() == asio::error::get_system_category() || ec.category() == asio::error::get_misc_category() ||
           ec.category() == asio::error::get_ssl_category() || ec == beast::http::error::end_of_stream ||
           ec == beast::http::error::partial_message || ec == asio::ssl::error::stream_truncated;
}

std::string_view view(const beast::flat_buffer& of) { return {static_cast<const char*>(of.data().data()), of.size()}; }

request_head make_head(const parser::value_type& message) {
    request_head head;
    head.what.method = std::string(message.method_string());
    head.target = std::string(message.target());
    for (const auto& field : message) head.what.headers.emplace(field.name_string(), field.value());
    head.is_http_1_0 = message.version() < 11;
    head.keep_alive = message.keep_alive();
    head.expects_continue = equals_ignoring_case(head.what.header("expect"), "100-continue") && !head.is_http_1_0;
    return head;
}

}  // namespace

struct request_reader::implementation {
    implementation(stream& from, deadline& bound, reader_limits limits)
        : from(from), bound(bound), limits(limits), speed(limits.stall_time, limits.bytes_per_s) {}

    void begin();
    failure explain(const error_code& ec, const std::string& too_large) const;
    std::optional<failure> explain(head_scanner::verdict found, const head_scanner& by) const;
    awaitable<error_code> fill(std::size_t most);
    awaitable<result<void>> parse_head();
    awaitable<error_code> parse_some();
    void check_chunk(std::string_view extension, error_code& ec);

    stream& from;
    deadline& bound;
    reader_limits limits;
    pace speed;
    beast::flat_buffer buffer;
    std::optional<parser> current;
    std::function<void(std::uint64_t, beast::string_view, error_code&)> chunk_checker;
    std::size_t extension_bytes = 0;
    bool chunk_waits = false;  // for the rest of the line between two chunks
    bool line_too_long = false;
};

void request_reader::implementation::begin() {
    current.emplace();
    current->header_limit(std::numeric_limits<std::uint32_t>::max());  // the scanner counts
    current->body_limit(boost::none);  // an announced body is judged by the caller, before it is read
    chunk_checker = [this](std::uint64_t, beast::string_view extension, error_code& ec) {
        check_chunk({extension.data(), extension.size()}, ec);
    };
    current->on_chunk_header(chunk_checker);
    extension_bytes = 0;
    chunk_waits = false;
    line_too_long = false;
    speed.begin();
}

failure request_reader::implementation::explain(const error_code& ec, const std::string& too_large) const {
    if (bound.expired())
        return failure{errc::timeout, current->is_header_done()
                                          ? "the body came too slowly: server.stall_timeout_s and "
                                            "server.min_bytes_per_s say how slow it may be"
                                          : "the request's headers did not arrive within "
                                            "server.request_header_timeout_s"};
    if (is_gone(ec)) return failure{errc::peer_gone, ec.message()};
    using beast::http::error;
    if (ec == error::header_limit)
        return failure{errc::too_large, fmt::format("what stands between the chunks is over {} bytes: raise "
                                                    "server.max_header_bytes",
                                                    limits.header_bytes)};
    if (ec == error::body_limit) return failure{errc::too_large, too_large};
    return failure{errc::invalid_request, "this is not HTTP/1.1: " + ec.message()};
}

std::optional<failure> request_reader::implementation::explain(head_scanner::verdict found,
                                                               const head_scanner& by) const {
    using verdict = head_scanner::verdict;
    if (found == verdict::malformed)
        return failure{errc::invalid_request, fmt::format("this is not HTTP/1.1: {}", by.problem())};
    if (found != verdict::line_too_long && found != verdict::too_large) return std::nullopt;
    return failure{errc::too_large,
                   fmt::format("the request's {} over {} bytes: raise server.max_header_bytes",
                               found == verdict::too_large ? "headers are" : "URL is", limits.header_bytes)};
}

awaitable<error_code> request_reader::implementation::fill(std::size_t most) {
    auto [ec, count] = co_await from.async_read_some(buffer.prepare(most), tuple_awaitable);
    buffer.commit(count);
    // It may pass while nothing is being read, with bytes that have come already.
    if (!ec && bound.expired()) co_return asio::error::operation_aborted;
    co_return ec;
}

awaitable<result<void>> request_reader::implementation::parse_head() {
    head_scanner scanner(limits.header_bytes);
    std::size_t scanned = 0;  // bytes at the buffer's begin
    while (!current->is_header_done()) {
        error_code ec = beast::http::error::need_more;
        auto found = scanner.scan(view(buffer).substr(scanned));
        line_too_long = found == head_scanner::verdict::line_too_long;
        if (auto fault = explain(found, scanner)) co_return *fault;
        if (buffer.size() > 0) {
            auto used = current->put(buffer.data(), ec);
            buffer.consume(used);
            scanned = buffer.size();
        }
        if (ec == beast::http::error::need_more) ec = co_await fill(head_piece_bytes);
        if (ec) co_return explain(ec, std::string());
    }
    co_return result<void>();
}

// Takes of what has come, or waits for more.
awaitable<error_code> request_reader::implementation::parse_some() {
    if (buffer.size() > (chunk_waits ? shortest_chunk - 1 : 0)) {
        error_code ec;
        auto used = current->put(buffer.data(), ec);
        buffer.consume(used);
        chunk_waits = ec == beast::http::error::need_more;
        if (!chunk_waits) co_return ec;
        if (buffer.size() > limits.header_bytes) co_return error_code(beast::http::error::header_limit);
    }
    auto since = std::chrono::steady_clock::now();
    auto had = buffer.size();
    bound.start(speed.left());
    auto ec = co_await fill(read_ahead_bytes);
    bound.stop();
    speed.add(std::chrono::steady_clock::now() - since, buffer.size() - had);
    co_return ec;
}

// An extension means nothing to us. Beast lets a quoted one hold anything but a line's end, and all of them any size.
void request_reader::implementation::check_chunk(std::string_view extension, error_code& ec) {
    extension_bytes += extension.size();
    if (extension_bytes > limits.header_bytes) ec = beast::http::error::header_limit;
    if (has_control_character(extension)) ec = beast::http::error::bad_chunk_extension;
}

request_reader::request_reader(stream& from, deadline& bound, reader_limits limits)
    : implementation_(std::make_unique<implementation>(from, bound, std::move(limits))) {}

request_reader::~request_reader() = default;

bool request_reader::line_too_long() const { return implementation_->line_too_long; }

awaitable<bool> request_reader::wait_for_request() {
    auto& self = *implementation_;
    self.current.reset();
    if (self.buffer.size() > 0) co_return true;
    self.buffer.shrink_to_fit();  // an idle connection costs little
    self.bound.start(self.limits.idle_time);
    auto ec = co_await self.fill(head_piece_bytes);
    self.bound.stop();
    co_return !ec;
}

awaitable<result<request_head>> request_reader::read_head() {
    auto& self = *implementation_;
    self.begin();
    self.bound.start(self.limits.header_time);
    auto parsed = co_await self.parse_head();
    self.bound.stop();
    if (!parsed) co_return parsed.error();
    const auto& parser = *self.current;
    auto head = make_head(parser.get());
    head.has_body = !parser.is_done();
    if (auto length = parser.content_length()) head.announced_bytes = *length;
    if (auto good = check_headers(head.what.headers, head.is_http_1_0); !good) co_return good.error();
    if (head.is_http_1_0) head.what.headers.erase("upgrade");  // RFC 9110, 7.8
    co_return head;
}

awaitable<result<std::string>> request_reader::read_body(std::size_t limit) {
    auto& self = *implementation_;
    auto& parser = *self.current;
    parser.body_limit(limit);
    self.buffer.reserve(read_ahead_bytes);  // as much as it holds is read at a time
    while (!parser.is_done()) {
        auto ec = co_await self.parse_some();
        if (ec)
            co_return self.explain(ec, fmt::format("the body is over {} bytes: {}", limit, self.limits.body_advice));
    }
    co_return std::move(parser.get().body());
}

awaitable<result<std::optional<std::string>>> request_reader::read_piece() {
    auto& self = *implementation_;
    auto& parser = *self.current;
    auto& piece = parser.get().body();
    self.buffer.reserve(read_ahead_bytes);
    piece.reserve(piece_bytes + read_ahead_bytes);
    while (!parser.is_done() && piece.size() < piece_bytes) {
        auto ec = co_await self.parse_some();
        if (ec) co_return self.explain(ec, "the body is too large");
    }
    std::optional<std::string> answer;
    if (!piece.empty()) answer = std::exchange(piece, std::string());
    co_return answer;
}

awaitable<bool> request_reader::wait_for_close() {
    auto& self = *implementation_;
    while (self.buffer.size() < read_ahead_bytes) {
        auto [ec, count] = co_await self.from.async_read_some(self.buffer.prepare(4096), tuple_awaitable);
        if (ec) co_return ec != asio::error::operation_aborted;
        self.buffer.commit(count);
    }
    co_return false;
}

std::string request_reader::take_rest() {
    auto& buffer = implementation_->buffer;
    auto rest = beast::buffers_to_string(buffer.data());
    buffer.consume(buffer.size());
    return rest;
}

}  // namespace gateway::http
