#include "gateway/tools/line_splitter.hpp"

#include <utility>

namespace gateway::tools {

std::vector<line_splitter::line> line_splitter::feed(std::string_view bytes) {
    std::vector<line> made;
    while (!bytes.empty()) {
        auto end = bytes.find('\n');
        append(bytes.substr(0, end));
        if (end == std::string_view::npos) break;
        finish(made);
        bytes.remove_prefix(end + 1);
    }
    return made;
}

void line_splitter::append(std::string_view part) {
    if (skipping_) return skipping_->feed(part);
    if (text_.size() + part.size() <= max_bytes_) {
        text_ += part;
        return;
    }
    skipping_.emplace();
    skipping_->feed(text_);
    skipping_->feed(part);
    text_ = std::string();  // gives the memory back
}

void line_splitter::finish(std::vector<line>& into) {
    if (skipping_) {
        into.push_back({"", true, skipping_->id()});
        skipping_.reset();
        return;
    }
    if (!text_.empty() && text_.back() == '\r') text_.pop_back();
    if (!text_.empty()) into.push_back({std::exchange(text_, std::string()), false, std::nullopt});
}

}  // namespace gateway::tools
