// What must hold for every input of a fuzz target; libFuzzer keeps the input for which it did not.
#pragma once

#include <cstdlib>

inline void require(bool holds) {
    if (!holds) std::abort();
}
