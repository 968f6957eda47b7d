// An account's secret as it goes into a request, and out of an answer. Lives for one call; any thread.
#pragma once

#include <string>
#include <vector>

#include "gateway/accounts/account.hpp"
#include "gateway/outbound/client.hpp"

namespace gateway::accounts {

class credential {
  public:
    credential(const account& of, const std::string& secret);
    ~credential();
    credential(const credential&) = delete;
    credential& operator=(const credential&) = delete;

    // Into the header or query parameter that the account says.
    void add_to(outbound::request& what) const;
    // Whether the text has the secret in one of the forms in which a server might repeat it.
    bool is_in(std::string_view text) const;
    // Every one of them becomes "(hidden)".
    void hide_in(std::string& text) const;

  private:
    std::string header_;
    std::string value_;  // of the header
    std::string query_;  // "key=…"
    std::vector<std::string> forms_;
};

// Everything but letters, digits and -._~ as %XX.
std::string percent_encoded(std::string_view text);

}  // namespace gateway::accounts
