// The gateway's log: one line an event on stderr. Lines never hold a key, a token or a query string.
// Any thread. spdlog stays in log.cpp.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace gateway::log {

enum class level { debug, info, warning, error };

// `name` is debug, info, warning or error (already checked by the configuration).
void set_level(std::string_view name);
void write(level at, const std::string& line);

template <class... Args>
void debug(fmt::format_string<Args...> text, Args&&... args) {
    write(level::debug, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void info(fmt::format_string<Args...> text, Args&&... args) {
    write(level::info, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void warning(fmt::format_string<Args...> text, Args&&... args) {
    write(level::warning, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void error(fmt::format_string<Args...> text, Args&&... args) {
    write(level::error, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace gateway::log
