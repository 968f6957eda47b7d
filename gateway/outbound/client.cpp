#include "gateway/outbound/client.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "gateway/outbound/connector.hpp"

namespace gateway::outbound {
namespace {

namespace http = boost::beast::http;

constexpr auto tuple_awaitable = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t piece_bytes = 64u << 10;
constexpr int most_interim_answers = 8;  // 100, 103 and their like, which precede the answer (RFC 9110, section 15.2)

failure broke_off(const std::string& origin, const error_code& ec) {
    return {errc::peer_gone, "the answer of " + origin + " broke off: " + ec.message()};
}

class streamed_response final : public response {
  public:
    streamed_response(std::unique_ptr<stream> from, std::string origin, std::size_t max_header_bytes, bool head_only)
        : stream_(std::move(from)),
          origin_(std::move(origin)),
          max_header_bytes_(static_cast<std::uint32_t>(max_header_bytes)),
          head_only_(head_only) {
        begin_answer();
    }

    int status() const override { return static_cast<int>(parser_->get().result_int()); }
    const headers& fields() const override { return fields_; }

    awaitable<result<void>> read_head() {
        for (int count = 0; count <= most_interim_answers; ++count) {
            auto [ec, bytes] = co_await http::async_read_header(*stream_, buffer_, *parser_, tuple_awaitable);
            if (ec) co_return broke_off(origin_, ec);
            if (status() == 101)
                co_return failure{errc::peer_gone,
                                  origin_ + " switches to another protocol, which it was not asked for"};
            if (status() >= 200) {
                for (const auto& field : parser_->get()) fields_.emplace_back(field.name_string(), field.value());
                co_return result<void>{};
            }
            begin_answer();
        }
        co_return failure{errc::peer_gone, origin_ + " gives only interim answers (1xx)"};
    }

    awaitable<result<std::optional<std::string>>> read_some() override {
        while (!parser_->is_done()) {
            auto& body = parser_->get().body();
            body.data = piece_.get();
            body.size = piece_bytes;
            auto [ec, count] = co_await http::async_read_some(*stream_, buffer_, *parser_, tuple_awaitable);
            if (ec && ec != http::error::need_buffer) co_return broke_off(origin_, ec);
            auto got = piece_bytes - parser_->get().body().size;
            if (got == 0) continue;  // only the frame of a chunk
            std::optional<std::string> answer(std::in_place, piece_.get(), got);
            co_return answer;
        }
        std::optional<std::string> end;
        co_return end;
    }

  private:
    void begin_answer() {
        parser_.emplace();
        parser_->header_limit(max_header_bytes_);
        parser_->body_limit(std::numeric_limits<std::uint64_t>::max());  // whoever reads counts
        parser_->skip(head_only_);
    }

    std::unique_ptr<stream> stream_;
    std::string origin_;
    std::uint32_t max_header_bytes_;
    bool head_only_;
    boost::beast::flat_buffer buffer_;
    // One for all pieces, and not cleared for each: they may have a byte each.
    std::unique_ptr<char[]> piece_ = std::make_unique_for_overwrite<char[]>(piece_bytes);
    std::optional<http::response_parser<http::buffer_body>> parser_;
    headers fields_;
};

result<std::string> head_of(const request& what) {
    std::string text = what.method + " " + what.to.target + " HTTP/1.1\r\nHost: " + what.to.host_header() +
                       "\r\nConnection: close\r\n";
    if (find_header(what.fields, "user-agent").empty()) text += "User-Agent: cellgate/" CELLGATE_VERSION "\r\n";
    for (const auto& [name, value] : what.fields) {
        if (!is_valid_header(name, value))
            return failure{errc::invalid_request,
                           "the header \"" + name + "\" has characters that HTTP does not allow"};
        text += name + ": " + value + "\r\n";
    }
    bool has_body = what.method == "POST" || what.method == "PUT" || what.method == "PATCH";
    if (!what.body.empty() || has_body) text += "Content-Length: " + std::to_string(what.body.size()) + "\r\n";
    return text + "\r\n";
}

}  // namespace

struct client::implementation {
    connector connections;
    std::size_t max_header_bytes;
};

client::client(executor ex, options how)
    : implementation_(new implementation{connector(std::move(ex), how), how.max_header_bytes}) {}

client::~client() = default;

awaitable<result<std::unique_ptr<response>>> client::send(request what) {
    auto head = head_of(what);
    if (!head) co_return head.error();
    auto connected = co_await implementation_->connections.connect(what.to);
    if (!connected) co_return connected.error();
    auto& to = **connected;
    std::array<asio::const_buffer, 2> parts{asio::buffer(*head), asio::buffer(what.body)};
    auto [unsent, count] = co_await asio::async_write(to, parts, tuple_awaitable);
    // A server may answer, for example with 413, before it has read everything: its answer says more than our error.
    auto origin = what.to.origin();
    auto made = std::make_unique<streamed_response>(std::move(*connected), origin, implementation_->max_header_bytes,
                                                    what.method == "HEAD");
    auto came = co_await made->read_head();
    if (!came && unsent) co_return broke_off(origin, unsent);
    if (!came) co_return came.error();
    std::unique_ptr<response> answer = std::move(made);
    co_return answer;
}

awaitable<result<std::string>> read_all(response& from, std::size_t max_bytes) {
    std::string whole;
    while (true) {
        auto piece = co_await from.read_some();
        if (!piece) co_return piece.error();
        if (!*piece) co_return whole;
        if (whole.size() + (*piece)->size() > max_bytes)
            co_return failure{errc::too_large, "the answer is larger than " + std::to_string(max_bytes) + " bytes"};
        whole += **piece;
    }
}

}  // namespace gateway::outbound
