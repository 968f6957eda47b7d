// The whole gateway: builds the parts from the configuration, wires them, serves until a signal, stops them in order.
// Called by main; blocks the calling thread, which becomes the io thread.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/kernels/launcher.hpp"
#include "gateway/server/directories.hpp"

namespace gateway::server {

// The exit status: 0 after SIGINT or SIGTERM, 1 when it could not start or lost its launcher (told on stderr). Prints
// one line "listening on URL" to stdout when it serves, and the key when it had to make one.
int serve(config::config settings, directories owned, kernels::launcher_process launcher);

}  // namespace gateway::server
