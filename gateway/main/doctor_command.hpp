// `cellgate doctor`, and the same question at the gateway's start. Called by main, before any thread exists.
#pragma once

#include <string>

#include "gateway/base/result.hpp"
#include "gateway/config/config.hpp"
#include "gateway/kernels/launcher.hpp"

namespace gateway {

kernels::box_settings box_settings_of(const config::config& settings);

// Prints what the machine offers, what is missing, and what that means. The exit code: 1 when no gateway would start.
int run_doctor(const config::config& settings);

// Whether what runs in a session is shut in there, with the gateway's directories, which exist; io_error when it is
// not, says what to do. Where the settings want no isolation nothing is asked.
result<void> check_boundary(const config::config& settings, const std::string& data, const std::string& runtime);

}  // namespace gateway
