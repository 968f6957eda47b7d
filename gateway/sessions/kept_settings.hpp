// The settings of a session as text, for the store. Pure; any thread.
#pragma once

#include <map>
#include <string>

#include "gateway/sessions/session_store.hpp"

namespace gateway::sessions {

std::string settings_text(const session_options& from);
// What cannot be read is as if it had not been set.
void read_settings(const std::string& text, session_options& into);

std::string usage_text(const kept_session& from);
void read_usage(const std::string& text, kept_session& into);

std::string variables_text(const std::map<std::string, std::string>& env);
std::map<std::string, std::string> read_variables(const std::string& text);

}  // namespace gateway::sessions
