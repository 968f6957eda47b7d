#include "gateway/tools/event_stream.hpp"

#include <charconv>
#include <utility>

namespace gateway::tools {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

}  // namespace

result<std::vector<server_event>> event_stream::feed(std::string_view bytes) {
    std::vector<server_event> made;
    while (!bytes.empty()) {
        if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
            bytes.remove_prefix(1);
            continue;
        }
        auto end = bytes.find_first_of("\r\n");
        line_ += bytes.substr(0, end);
        if (line_.size() + data_.size() > max_bytes_)
            return failure{errc::too_large, "an event is larger than " + std::to_string(max_bytes_) + " bytes"};
        if (end == std::string_view::npos) break;
        after_cr_ = bytes[end] == '\r';
        bytes.remove_prefix(end + 1);
        take_line(made);
    }
    return made;
}

void event_stream::take_line(std::vector<server_event>& into) {
    auto line = std::exchange(line_, std::string());
    std::string_view text = line;
    if (std::exchange(at_start_, false) && text.substr(0, 3) == byte_order_mark) text.remove_prefix(3);
    if (text.empty()) return dispatch(into);
    auto colon = text.find(':');
    auto value = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    take_field(text.substr(0, colon), value);
}

void event_stream::take_field(std::string_view name, std::string_view value) {
    if (name == "event") type_ = value;
    if (name == "id" && value.find('\0') == std::string_view::npos) id_ = value;
    if (name == "data") {
        if (std::exchange(has_data_, true)) data_ += '\n';
        data_ += value;
    }
    if (name == "retry") {
        unsigned number = 0;
        auto [end, ec] = std::from_chars(value.data(), value.data() + value.size(), number);
        if (ec == std::errc() && end == value.data() + value.size()) retry_ = std::chrono::milliseconds(number);
    }
}

void event_stream::dispatch(std::vector<server_event>& into) {
    last_id_ = id_;
    auto type = std::exchange(type_, std::string());
    auto data = std::exchange(data_, std::string());
    if (!std::exchange(has_data_, false)) return;
    into.push_back({type.empty() ? "message" : std::move(type), std::move(data)});
}

}  // namespace gateway::tools
