#include "gateway/sessions/text_decoder.hpp"

#include <utility>

#include "messaging/utf8.hpp"

namespace gateway::sessions {

std::string text_decoder::decode(std::string_view bytes) {
    std::string text = std::exchange(waiting_, {});
    text.append(bytes);
    const auto whole = text.size() - messaging::unfinished_suffix(text);
    waiting_ = text.substr(whole);
    text.resize(whole);
    return messaging::is_utf8(text) ? text : messaging::replace_invalid_utf8(text);
}

std::string text_decoder::finish() { return messaging::replace_invalid_utf8(std::exchange(waiting_, {})); }

}  // namespace gateway::sessions
