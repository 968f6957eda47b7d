// An account's secret as it goes into a request, and out of an answer. Lives for one call; any thread.
#pragma once

#include <string>
#include <vector>

#include "gateway/accounts/account.hpp"
#include "gateway/accounts/secret_finder.hpp"
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
    // The secret becomes "(hidden)" wherever the text repeats it: as it was given or sent, as hex or base64, each
    // character spelled as it likes (spellings.hpp). What is shorter than 8 characters could be there by chance: of a
    // short password only what was sent is hidden, user name and all.
    void hide_in(std::string& text) const;

  private:
    std::string header_;
    std::string value_;  // of the header
    std::string query_;  // "key=…"
    std::vector<secret_finder> finders_;
};

// Everything but letters, digits and -._~ as %XX.
std::string percent_encoded(std::string_view text);

}  // namespace gateway::accounts
