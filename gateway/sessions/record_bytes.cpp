#include "gateway/sessions/record_bytes.hpp"

namespace gateway::sessions {
namespace {

constexpr std::size_t least_lent = 64u << 10;  // a piece of its own costs something too

}  // namespace

void record_bytes::put(std::string_view text) {
    if (text.size() < least_lent) {
        copied_.append(text);
        return;
    }
    lent_.push_back({copied_.size(), text});
    lent_bytes_ += text.size();
}

record_bytes::gap record_bytes::leave(std::size_t bytes) {
    gap made{copied_.size()};
    copied_.append(bytes, '\0');
    return made;
}

std::vector<std::string_view> record_bytes::pieces() const {
    std::vector<std::string_view> all;
    all.reserve(2 * lent_.size() + 1);
    std::size_t at = 0;
    for (const auto& each : lent_) {
        if (each.at > at) all.push_back(std::string_view(copied_).substr(at, each.at - at));
        all.push_back(each.text);
        at = each.at;
    }
    if (at < copied_.size()) all.push_back(std::string_view(copied_).substr(at));
    return all;
}

}  // namespace gateway::sessions
