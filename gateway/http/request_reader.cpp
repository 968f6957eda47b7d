#include "gateway/http/request_reader.hpp"

#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <optional>

#include "gateway/http/text.hpp"

namespace gateway::http {
namespace {

namespace beast = boost::beast;

constexpr auto tuple_awaitable = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t read_ahead_bytes = 64 << 10;
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

// What Beast lets through although nobody may read past it safely: another transfer coding would hide where the body
// ends.
std::optional<failure> find_fault(const request_head& head) {
    auto coding = head.what.header("transfer-encoding");
    if (!coding.empty() && !equals_ignoring_case(trim(coding), "chunked"))
        return failure{errc::invalid_request, "the only transfer coding that is understood is chunked"};
    if (!head.is_http_1_0 && head.what.headers.count("host") == 0)
        return failure{errc::invalid_request, "a request must have one Host header"};
    return std::nullopt;
}

}  // namespace

struct request_reader::implementation {
    implementation(stream& from, deadline& bound, reader_limits limits) : from(from), bound(bound), limits(limits) {}

    failure explain(const error_code& ec, const std::string& too_large) const {
        if (bound.expired()) return failure{errc::timeout, "the request did not arrive in time"};
        if (is_gone(ec)) return failure{errc::peer_gone, ec.message()};
        using beast::http::error;
        if (ec == error::header_limit || ec == error::body_limit || ec == error::buffer_overflow)
            return failure{errc::too_large, too_large};
        return failure{errc::invalid_request, "this is not HTTP/1.1: " + ec.message()};
    }

    stream& from;
    deadline& bound;
    reader_limits limits;
    beast::flat_buffer buffer;
    std::optional<parser> current;
};

request_reader::request_reader(stream& from, deadline& bound, reader_limits limits)
    : implementation_(std::make_unique<implementation>(from, bound, limits)) {}

request_reader::~request_reader() = default;

awaitable<bool> request_reader::wait_for_request() {
    auto& self = *implementation_;
    self.current.reset();
    if (self.buffer.size() > 0) co_return true;
    self.buffer.shrink_to_fit();  // an idle connection costs little
    self.bound.start(self.limits.idle_time);
    auto [ec, count] = co_await self.from.async_read_some(self.buffer.prepare(2048), tuple_awaitable);
    self.bound.stop();
    self.buffer.commit(count);
    co_return !ec;
}

awaitable<result<request_head>> request_reader::read_head() {
    auto& self = *implementation_;
    auto& parser = self.current.emplace();
    parser.header_limit(static_cast<std::uint32_t>(self.limits.header_bytes));
    parser.body_limit(boost::none);  // an announced body is judged by the caller, before it is read
    self.bound.start(self.limits.header_time);
    auto [ec, count] = co_await beast::http::async_read_header(self.from, self.buffer, parser, tuple_awaitable);
    self.bound.stop();
    if (ec)
        co_return self.explain(ec, fmt::format("the request's headers are over {} bytes: raise server.max_header_bytes",
                                               self.limits.header_bytes));
    auto head = make_head(parser.get());
    head.has_body = !parser.is_done();
    if (auto length = parser.content_length()) head.announced_bytes = *length;
    if (auto fault = find_fault(head)) co_return *fault;
    co_return head;
}

awaitable<result<std::string>> request_reader::read_body(std::size_t limit) {
    auto& self = *implementation_;
    auto& parser = *self.current;
    parser.body_limit(limit);
    self.buffer.reserve(read_ahead_bytes);  // as much as it holds is read at a time
    while (!parser.is_done()) {
        self.bound.start(self.limits.stall_time);
        auto [ec, count] = co_await beast::http::async_read_some(self.from, self.buffer, parser, tuple_awaitable);
        self.bound.stop();
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
        self.bound.start(self.limits.stall_time);
        auto [ec, count] = co_await beast::http::async_read_some(self.from, self.buffer, parser, tuple_awaitable);
        self.bound.stop();
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
