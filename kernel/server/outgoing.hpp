// Makes frames of what is to be published: headers, numbers, signatures. Io thread only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernel/server/encoded_message.hpp"
#include "kernel/server/output_queue.hpp"
#include "messaging/signer.hpp"

namespace kernel {

// A JSON object's text with one more member. What is no object becomes one with only this member.
std::string with_number(std::string metadata, std::uint64_t number);

class output_encoder {
  public:
    // Both outlive this.
    output_encoder(messaging::signer& keys, const std::string& session);

    // For iopub, with the next number.
    shared_encoded encode(output what);
    shared_encoded encode(messaging::message reply);
    // JEP 65: to whom has subscribed to `topic` just now; without a number.
    shared_encoded welcome(std::string_view topic);

  private:
    messaging::message make(std::string_view msg_type, std::string topic, std::string content) const;
    messaging::message make(const stream_text& text) const;

    messaging::signer& keys_;
    const std::string& session_;
    std::uint64_t last_number_ = 0;
};

}  // namespace kernel
