// SHA-256 of bytes that come piece by piece. One thread at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace mounts {

class sha256 {
  public:
    sha256();
    ~sha256();
    sha256(sha256&&) noexcept;

    void add(std::string_view bytes);
    // In hex, lower case; once, after the last add().
    std::string finish();

  private:
    struct free_context {
        void operator()(evp_md_ctx_st* context) const;
    };
    std::unique_ptr<evp_md_ctx_st, free_context> context_;
};

}  // namespace mounts
