// Input: one byte with the size of the pieces, then what a session sends to its proxy. What is forwarded is a request
// that says the same again to a strict reader, and goes where the policy was asked about.
#include <cstddef>
#include <cstdint>

#include "gateway/egress/forwarding.hpp"
#include "gateway/egress/http_body.hpp"
#include "tests/fuzz/require.hpp"

using namespace gateway::egress;

namespace {

struct outcome {
    std::string body;
    bool done = false;
    bool failed = false;
};

outcome read(body_length length, std::string_view bytes, std::size_t piece) {
    body_reader reader(length);
    outcome made;
    while (!bytes.empty() && !reader.is_done()) {
        auto part = bytes.substr(0, piece);
        auto size = part.size();
        auto taken = reader.take(part);
        made.failed = !taken;
        if (made.failed) return made;
        made.body += *taken;
        bytes.remove_prefix(size - part.size());
    }
    made.done = reader.is_done();
    return made;
}

// A server that reads the head that was written comes to the same.
void require_same(const forwarding& made) {
    auto head = parse_request_head(made.head);
    require(bool(head));
    require(made.head.find("\r\n\r\n") == made.head.size() - 4);
    require(head->method == made.method && head->target.starts_with('/'));
    auto body = body_of(*head);
    require(body && *body == made.body);
    auto host = single_field(head->fields, "host");
    require(host && *host && *parse_destination(**host, 80) == made.to);
    auto connection = single_field(head->fields, "connection");
    require(connection && *connection == "close");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    auto end = text.find("\r\n\r\n");
    if (end == std::string_view::npos) return 0;
    auto answer = parse_answer_head(text.substr(0, end + 4));
    auto head = parse_request_head(text.substr(0, end + 4));
    require(!head || !answer);
    if (answer) (void)body_of(*answer, "GET");
    if (!head) return 0;
    auto made = plan(*head);
    if (!made) return 0;
    require(made->to.port != 0 && *parse_destination(made->to.text(), 0) == made->to);
    if (made->is_connect || made->refused) return 0;
    require_same(*made);
    auto whole = read(made->body, text.substr(end + 4), size);
    auto pieces = read(made->body, text.substr(end + 4), data[0] + 1u);
    require(whole.failed == pieces.failed && (whole.failed || whole.body == pieces.body) && whole.done == pieces.done);
    return 0;
}
