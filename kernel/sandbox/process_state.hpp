// What a process inherits besides its memory, set to what a fresh program expects.
#pragma once

#include <vector>

namespace kernel {

// Closes every descriptor from 3 on that is not in `kept`; -1 in it stands for one that there is not.
void close_all_but(std::vector<int> kept);
// Default dispositions, nothing blocked: a launcher started in the background has SIGINT ignored.
void reset_signals();
void block_signals();
// No core files; a number of open files that suits programs which use select() or close them all.
void set_limits();
// Nothing to read; stdout and stderr go to `output`, which is closed.
void use_output(int output);
// As many open files as the system allows this process: a box takes three.
void raise_file_limit();

}  // namespace kernel
