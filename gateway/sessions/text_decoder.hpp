// Bytes as they come, as UTF-8 text: a character whose rest is yet to come waits for it, an ill-formed stretch becomes
// one U+FFFD. The same text however the bytes are cut. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace gateway::sessions {

class text_decoder {
  public:
    std::string decode(std::string_view bytes);
    // What waits, at the end of all bytes.
    std::string finish();

  private:
    std::string waiting_;  // at most 3 bytes
};

}  // namespace gateway::sessions
