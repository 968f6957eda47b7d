// Secrets at rest: AES-256-GCM under a key in a file. Owned by the account store; one thread.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "gateway/base/result.hpp"

namespace gateway::accounts {

class sealer {
  public:
    // The key file holds 64 hex digits and may be read by its owner only. io_error names the file and what to do.
    static result<sealer> open(const std::string& key_file);
    // The same; without such a file, makes one. Several processes may try at a time: all get the same key.
    static result<sealer> open_or_make(const std::string& key_file);

    sealer(const sealer&) = default;
    sealer& operator=(const sealer&) = default;
    ~sealer();

    // As text that can be stored. `bound` must be the same when it is opened: what the secret belongs to.
    result<std::string> seal(std::string_view secret, std::string_view bound) const;
    // io_error when the text, what it is bound to, or the key is not what it was sealed with.
    result<std::string> open(std::string_view sealed, std::string_view bound) const;

  private:
    sealer() = default;
    std::array<unsigned char, 32> key_{};
};

}  // namespace gateway::accounts
