// Secrets at rest: AES-256-GCM under a key in a file. Owned by a store; one thread.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "gateway/base/result.hpp"
#include "gateway/storage/secret_file.hpp"

namespace gateway::storage {

class sealer {
  public:
    // With the key in that file, as read_secret() and keep_secret() find or make it.
    static result<sealer> open(const secret_file& key_file);
    static result<sealer> open_or_make(const secret_file& key_file);

    sealer(const sealer&) = default;
    sealer& operator=(const sealer&) = default;
    ~sealer();

    // As text that can be stored. `bound` must be the same when it is opened: what the secret belongs to.
    result<std::string> seal(std::string_view secret, std::string_view bound) const;
    // io_error when the text, what it is bound to, or the key is not what it was sealed with.
    result<std::string> open(std::string_view sealed, std::string_view bound) const;

  private:
    explicit sealer(std::string key);

    std::array<unsigned char, 32> key_{};
};

}  // namespace gateway::storage
