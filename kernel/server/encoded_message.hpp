// A message as its frames, signed; shared by everything that sends it or keeps it. A value; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "messaging/wire.hpp"

namespace kernel {

// What making and signing a message costs whatever is in it, as bytes.
inline constexpr std::size_t least_cost = 1024;

struct encoded_message {
    messaging::frames parts;
    std::size_t size = 0;      // bytes of all parts
    std::uint64_t number = 0;  // its "cellgate_seq", if it has one
};

using shared_encoded = std::shared_ptr<const encoded_message>;

inline shared_encoded share(messaging::frames parts, std::uint64_t number = 0) {
    std::size_t size = 0;
    for (const auto& part : parts) size += part.size();
    return std::make_shared<const encoded_message>(encoded_message{std::move(parts), size, number});
}

}  // namespace kernel
