// Makes frames of what is to be published: headers, numbers, signatures. Io thread only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/server/encoded_message.hpp"
#include "kernel/server/output_queue.hpp"
#include "messaging/signer.hpp"

namespace kernel {

// A JSON object's text with one more member. What is no object becomes one with only this member.
std::string with_number(std::string metadata, std::uint64_t number);
// What with_number() made, with a member that tells a resent message from the first one, and by `count` from other
// resent ones.
std::string with_resent(std::string_view metadata, std::uint64_t count);

class output_encoder {
  public:
    // Both outlive this.
    output_encoder(messaging::signer& keys, const std::string& session);

    // For iopub, with the next number.
    shared_encoded encode(output what);
    shared_encoded encode(messaging::message reply);
    // What encode() made for iopub, marked, for the client `to` on a socket that routes.
    shared_encoded encode_again(const encoded_message& made, std::vector<std::string> to);
    // JEP 65: to whom has subscribed to `topic` just now; without a number.
    shared_encoded welcome(std::string_view topic);

  private:
    messaging::message make(std::string_view msg_type, std::string topic, std::string content) const;
    messaging::message make(const stream_text& text) const;

    messaging::signer& keys_;
    const std::string& session_;
    std::uint64_t last_number_ = 0;
    std::uint64_t resent_ = 0;  // messages
};

}  // namespace kernel
