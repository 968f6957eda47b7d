#include "gateway/http/head_scanner.hpp"

namespace gateway::http {

head_scanner::verdict head_scanner::scan(std::string_view bytes) {
    for (unsigned char byte : bytes) {
        if (++seen_ > limit_) return lines_ == 0 ? verdict::line_too_long : verdict::too_large;
        if (auto found = take(byte); found != verdict::more) return found;
    }
    return verdict::more;
}

head_scanner::verdict head_scanner::take(unsigned char byte) {
    if (after_return_) return byte == '\n' ? end_line() : refuse("a CR stands alone: a line ends with CR and LF");
    if (byte == '\n') return refuse("an LF stands alone: a line ends with CR and LF");
    if (byte == '\r') {
        after_return_ = true;
        return verdict::more;
    }
    if ((byte < 0x20 && byte != '\t') || byte == 0x7f) return refuse("there is a control character in the head");
    if (at_line_begin_ && (byte == ' ' || byte == '\t'))
        return refuse("a line begins with white space: a header must not be folded");
    at_line_begin_ = false;
    return verdict::more;
}

head_scanner::verdict head_scanner::end_line() {
    if (at_line_begin_) return lines_ > 0 ? verdict::complete : refuse("the request line is empty");
    ++lines_;
    after_return_ = false;
    at_line_begin_ = true;
    return verdict::more;
}

head_scanner::verdict head_scanner::refuse(const char* problem) {
    problem_ = problem;
    return verdict::malformed;
}

}  // namespace gateway::http
