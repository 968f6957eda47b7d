// Server-sent events (WHATWG HTML, section 9.2): bytes to events. Pure; any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/base/result.hpp"

namespace gateway::tools {

struct server_event {
    std::string type = "message";
    std::string data;

    bool operator==(const server_event&) const = default;
};

class event_stream {
  public:
    explicit event_stream(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    // The events that `bytes` complete. too_large when one is larger than `max_bytes`; the stream is over then.
    result<std::vector<server_event>> feed(std::string_view bytes);
    const std::string& last_id() const { return last_id_; }
    std::optional<std::chrono::milliseconds> retry() const { return retry_; }  // as the server asked for

  private:
    void take_line(std::vector<server_event>& into);
    void take_field(std::string_view name, std::string_view value);
    void dispatch(std::vector<server_event>& into);

    std::size_t max_bytes_;
    std::string line_;
    bool after_cr_ = false;
    bool at_start_ = true;
    std::string type_;
    std::string data_;
    bool has_data_ = false;
    std::string id_;
    std::string last_id_;
    std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace gateway::tools
