// What the messages of the launcher's sockets are made of, as JSON values. Pure; any thread.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/launcher/protocol.hpp"

namespace kernel {

// Paths and environments are bytes, not always UTF-8, and JSON knows only text: each byte is written as the character
// of that number (U+0000 to U+00FF).
std::string to_text(std::string_view bytes);

nlohmann::json to_json(const std::vector<std::string>& from);
nlohmann::json to_json(const std::vector<bind_mount>& from);
nlohmann::json to_json(const std::vector<tcp_relay>& from);
nlohmann::json to_json(const std::map<std::string, std::string>& from);

// null, which no read() takes, when there is no such field.
const nlohmann::json& field(const nlohmann::json& object, const char* name);

// False when the value is of another type, or a text that to_text() did not write.
bool read(const nlohmann::json& value, std::string& out);
bool read(const nlohmann::json& value, bool& out);
bool read(const nlohmann::json& value, std::int32_t& out);
bool read(const nlohmann::json& value, std::int64_t& out);
bool read(const nlohmann::json& value, std::vector<std::string>& out);
bool read(const nlohmann::json& value, std::vector<bind_mount>& out);
bool read(const nlohmann::json& value, std::vector<tcp_relay>& out);
bool read(const nlohmann::json& value, std::map<std::string, std::string>& out);

}  // namespace kernel
