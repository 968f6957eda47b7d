#include "messaging/signature_history.hpp"

#include <utility>

namespace messaging {

bool signature_history::generation::contains(std::uint64_t signature) const {
    if (places.empty()) return false;
    std::size_t mask = places.size() - 1;
    for (std::size_t at = signature & mask; places[at] != 0; at = (at + 1) & mask)
        if (places[at] == signature) return true;
    return false;
}

void signature_history::generation::add(std::uint64_t signature) {
    if (2 * (used + 1) > places.size()) grow();
    std::size_t mask = places.size() - 1;
    std::size_t at = signature & mask;
    while (places[at] != 0) at = (at + 1) & mask;
    places[at] = signature;
    ++used;
}

void signature_history::generation::grow() {
    std::size_t size = places.empty() ? 64 : 2 * places.size();
    auto old = std::exchange(places, std::vector<std::uint64_t>(size));
    used = 0;
    for (auto signature : old)
        if (signature != 0) add(signature);
}

bool signature_history::insert(std::uint64_t signature) {
    if (signature == 0) signature = 1;
    if (current_.contains(signature) || previous_.contains(signature)) return false;
    if (current_.used == capacity) previous_ = std::exchange(current_, {});
    current_.add(signature);
    return true;
}

}  // namespace messaging
