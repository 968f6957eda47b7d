// The rules that settings share. Values; any thread.
#pragma once

#include "gateway/config/table.hpp"

namespace gateway::config {

bool is_loopback(const std::string& host);
bool is_base_url(const std::string& text);
bool is_http_url(const std::string& text);
bool is_some_http_url(const std::string& text);  // not empty
bool is_origin(const std::string& text);
bool is_regular_expression(const std::string& text);
bool is_header_value(const std::string& text);
bool is_key(const std::string& text);  // what a key may be made of
bool is_directory(const std::string& path);
bool is_readable_file(const std::string& path);
bool is_kernel_name(const std::string& text);
bool is_variable_name(const std::string& text);     // of an environment variable
bool is_variable_pattern(const std::string& text);  // may end in *
bool is_toolkit_name(const std::string& text);
bool is_composio_toolkit(const std::string& text);
bool is_tool_slug(const std::string& text);
bool is_mount_name(const std::string& text);
bool is_distribution(const std::string& text);  // a Python distribution's name, or *
bool is_host(const std::string& text);          // may have a port
bool is_network(const std::string& text);       // of addresses: 10.1.0.0/16, or one address
bool is_link(const std::string& text);          // an absolute path, or a URL

namespace rules {

inline rule number(integer least, integer most) { return {.text = "", .least = least, .most = most}; }
inline rule seconds() { return number(0, 31'536'000); }  // 0: off, where the description says so
inline rule positive_seconds() { return number(1, 31'536'000); }
inline rule bytes(integer least = 1) { return number(least, integer(1) << 50); }
inline rule one_of(std::vector<std::string_view> choices) { return {.text = "", .choices = std::move(choices)}; }
inline rule any() { return {.text = ""}; }
inline rule text(std::string_view what, bool (*accepts)(const std::string&)) {
    return {.text = what, .accepts = accepts};
}
inline rule path(std::string_view what, bool (*accepts)(const std::string&) = nullptr) {
    return {.text = what, .accepts = accepts, .path = true};
}

}  // namespace rules
}  // namespace gateway::config
