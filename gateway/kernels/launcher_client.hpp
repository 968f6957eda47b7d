// launcher.hpp's interface over the launcher process's socket. io thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gateway/kernels/launcher.hpp"
#include "kernel/launcher/file_descriptor.hpp"

namespace gateway::kernels {

// `how_it_ended` is asked once, when the process has gone: "signal 9"; then `on_lost` is called, if there is one.
std::unique_ptr<launcher> make_launcher_client(executor ex, ::kernel::file_descriptor socket,
                                               std::function<std::string()> how_it_ended,
                                               std::function<void()> on_lost = {});

}  // namespace gateway::kernels
