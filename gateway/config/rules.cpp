#include "gateway/config/rules.hpp"

#include <arpa/inet.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <regex>

namespace gateway::config {
namespace {

bool all(const std::string& text, bool (*accepts)(unsigned char)) {
    return std::all_of(text.begin(), text.end(), [&](char c) { return accepts(static_cast<unsigned char>(c)); });
}

bool alphanumeric(unsigned char c) { return std::isalnum(c) && c < 0x80; }
bool identifier_letter(unsigned char c) { return alphanumeric(c) || c == '_'; }
bool identifier(const std::string& text) {
    return !text.empty() && !std::isdigit(static_cast<unsigned char>(text.front())) && all(text, identifier_letter);
}

}  // namespace

bool is_loopback(const std::string& host) { return host == "localhost" || host == "::1" || host.rfind("127.", 0) == 0; }

// jupyter_server's gateway client lower-cases the whole URL of its WebSockets: an upper-case letter would never match.
bool is_base_url(const std::string& text) {
    return !text.empty() && text.front() == '/' && text.find("//") == text.npos && all(text, [](unsigned char c) {
        return (alphanumeric(c) && !std::isupper(c)) ||
               std::string_view("/-_.~").find(char(c)) != std::string_view::npos;
    });
}

bool is_http_url(const std::string& text) {
    if (text.empty()) return true;
    static const std::regex form("https?://[^\\s/?#]+(/[^\\s]*)?", std::regex::icase);
    return std::regex_match(text, form);
}

bool is_some_http_url(const std::string& text) { return !text.empty() && is_http_url(text); }

bool is_origin(const std::string& text) {
    if (text.empty() || text == "*" || text == "null") return true;
    static const std::regex form("[a-zA-Z][a-zA-Z0-9+.-]*://[^\\s/?#]+");
    return std::regex_match(text, form);
}

bool is_regular_expression(const std::string& text) {
    try {
        std::regex made(text);
        return true;
    } catch (const std::regex_error&) {  // the only way std::regex tells
        return false;
    }
}

bool is_header_value(const std::string& text) {
    return all(text, [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

bool is_key(const std::string& text) {
    return all(text, [](unsigned char c) { return c > ' ' && c < 127; });
}

bool is_directory(const std::string& path) {
    std::error_code error;
    return std::filesystem::is_directory(path, error);
}

bool is_readable_file(const std::string& path) {
    std::error_code error;
    return path.empty() || (std::filesystem::is_regular_file(path, error) && access(path.c_str(), R_OK) == 0);
}

bool is_kernel_name(const std::string& text) {
    return all(text, [](unsigned char c) { return identifier_letter(c) || c == '.' || c == '-'; });
}

bool is_variable_name(const std::string& text) { return identifier(text); }

bool is_variable_pattern(const std::string& text) {
    if (text == "*") return true;
    return identifier(!text.empty() && text.back() == '*' ? text.substr(0, text.size() - 1) : text);
}

bool is_toolkit_name(const std::string& text) { return identifier(text); }

// Composio's own meta tools run code: they are never passed on.
bool is_composio_toolkit(const std::string& text) {
    static const std::regex form("[a-z0-9_-]{1,64}");
    return text != "composio" && std::regex_match(text, form);
}

bool is_tool_slug(const std::string& text) {
    static const std::regex form("[A-Za-z0-9_]{1,200}");
    return std::regex_match(text, form);
}

bool is_mount_name(const std::string& text) {
    return text.size() <= 64 && text != "files" &&
           all(text, [](unsigned char c) { return identifier_letter(c) || c == '-'; });
}

bool is_distribution(const std::string& text) {
    static const std::regex form("\\*|[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?");
    return std::regex_match(text, form);
}

bool is_host(const std::string& text) {
    return !text.empty() && all(text, [](unsigned char c) {
        return alphanumeric(c) || std::string_view(".-_:[]").find(char(c)) != std::string_view::npos;
    });
}

bool is_network(const std::string& text) {
    auto slash = text.find('/');
    auto address = text.substr(0, slash);
    unsigned char bytes[16];
    bool is_v4 = inet_pton(AF_INET, address.c_str(), bytes) == 1;
    if (!is_v4 && inet_pton(AF_INET6, address.c_str(), bytes) != 1) return false;
    if (slash == text.npos) return true;
    unsigned bits = 0;
    const char* last = text.data() + text.size();
    auto [end, ec] = std::from_chars(text.data() + slash + 1, last, bits);
    return ec == std::errc() && end == last && bits <= (is_v4 ? 32u : 128u);
}

// pip separates several by spaces.
bool is_link(const std::string& text) {
    if (text.empty() || !all(text, [](unsigned char c) { return c > ' ' && c != 0x7f; })) return false;
    return text.front() == '/' || text.rfind("file:///", 0) == 0 || is_http_url(text);
}

}  // namespace gateway::config
