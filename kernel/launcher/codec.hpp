// The messages of protocol.hpp and of zygote_protocol.hpp as JSON texts. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kernel/launcher/protocol.hpp"
#include "kernel/launcher/zygote_protocol.hpp"

namespace kernel {

std::string encode(const command& what);
std::string encode(const reply& what);
std::string encode(const finding& what);
std::string encode(const zygote_order& what);
std::string encode(const zygote_reply& what);
// Nothing when the text is not one: a wrong type, a missing field.
std::optional<command> decode_command(std::string_view text);
std::optional<reply> decode_reply(std::string_view text);
std::optional<finding> decode_finding(std::string_view text);
std::optional<zygote_order> decode_zygote_order(std::string_view text);
std::optional<zygote_reply> decode_zygote_reply(std::string_view text);

}  // namespace kernel
