// Which signatures were used: at least the last 65,536, at most twice as many. A value; one owner, one thread.
// It keeps 64 bits of each (the digests are uniform: one false hit in 2^47), so that a busy kernel costs at most 2 MiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace messaging {

class signature_history {
  public:
    static constexpr std::size_t capacity = 65'536;

    // False when it is there already.
    bool insert(std::uint64_t signature);

  private:
    // An open-addressed table, never more than half full; 0 marks a free place.
    struct generation {
        std::vector<std::uint64_t> places;
        std::size_t used = 0;

        bool contains(std::uint64_t signature) const;
        void add(std::uint64_t signature);
        void grow();
    };

    generation current_;
    generation previous_;
};

}  // namespace messaging
