// Watches the bytes of a request's head go by, before Beast parses them: what two readers could cut into lines
// differently is refused, and a head that is too large is known before it is all there. Beast unfolds folded lines,
// which RFC 9112 (5.2) lets a server refuse. Pure; one per request.
#pragma once

#include <cstddef>
#include <string_view>

namespace gateway::http {

class head_scanner {
  public:
    enum class verdict { more, complete, line_too_long, too_large, malformed };

    // The request line and all headers, with their line ends, have at most `limit` bytes.
    explicit head_scanner(std::size_t limit) : limit_(limit) {}
    // The bytes that follow those of the last call; what comes behind the head is not looked at. Not called again
    // after another verdict than `more`.
    verdict scan(std::string_view bytes);
    // What is wrong, after `malformed`.
    const char* problem() const { return problem_; }

  private:
    verdict take(unsigned char byte);
    verdict end_line();
    verdict refuse(const char* problem);

    std::size_t limit_;
    std::size_t seen_ = 0;
    std::size_t lines_ = 0;      // that have ended
    bool at_line_begin_ = true;  // nothing of the line has come
    bool after_return_ = false;
    const char* problem_ = "";
};

}  // namespace gateway::http
