// An entry of the log as the notification that agents get. Content of Jupyter messages is passed on, not built anew.
// Pure.
#pragma once

#include <boost/asio/buffer.hpp>
#include <string>
#include <vector>

#include "gateway/sessions/entry.hpp"

namespace gateway::api::agent {

// Whether agents are told of such an entry at all; replies and the kernel's own housekeeping are not for them.
bool is_for_agents(const sessions::entry& what);

// One frame in three parts; the middle one is the message's own bytes.
struct notification {
    std::string head;
    sessions::shared_entry owner;  // keeps the middle
    std::string_view middle;
    std::string tail;

    std::vector<boost::asio::const_buffer> parts() const;
    std::string text() const;
};

notification make_notification(sessions::shared_entry what);

}  // namespace gateway::api::agent
