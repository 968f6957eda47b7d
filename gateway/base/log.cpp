#include "gateway/base/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace gateway::log {
namespace {

spdlog::logger& logger() {
    static auto instance = [] {
        auto made = spdlog::stderr_color_mt("cellgate");
        made->set_pattern("%Y-%m-%dT%H:%M:%S.%e %^%l%$ %v");
        return made;
    }();
    return *instance;
}

spdlog::level::level_enum to_spdlog(level at) {
    switch (at) {
        case level::debug:
            return spdlog::level::debug;
        case level::info:
            return spdlog::level::info;
        case level::warning:
            return spdlog::level::warn;
        case level::error:
            return spdlog::level::err;
    }
    return spdlog::level::info;
}

}  // namespace

void set_level(std::string_view name) { logger().set_level(spdlog::level::from_str(std::string(name))); }

void write(level at, const std::string& line) { logger().log(to_spdlog(at), spdlog::string_view_t(line)); }

}  // namespace gateway::log
