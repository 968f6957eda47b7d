// Which entries of the log a socket is told: before attach those of its own cells, after it all from some seq on. Pure.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>

#include "gateway/sessions/entry.hpp"

namespace gateway::api::agent {

class event_filter {
  public:
    bool wants(const sessions::entry& what) const;

    bool attached() const { return all_after_ != never; }
    // Everything behind `seq`, from now on. The reader goes there.
    void attach_after(std::uint64_t seq) { all_after_ = seq; }
    // Everything behind `newest` besides what it gets already. The reader stays where it is.
    void attach_from_now(std::uint64_t newest);

    // The socket sent this cell, or joined it when it was there already. `told` is the last seq that the socket was
    // told or passed over. Where the reader has to go back to, so that an earlier cell is told from its beginning; what
    // was told already is not told again.
    std::optional<std::uint64_t> own(const std::string& cell_id, std::uint64_t first_seq, std::uint64_t told);

  private:
    static constexpr auto never = std::numeric_limits<std::uint64_t>::max();

    // How a cell of the socket's own is told: behind `after`, but not again in (told_after, told_until].
    struct telling {
        std::uint64_t after = 0;
        std::uint64_t told_after = 0;
        std::uint64_t told_until = 0;

        bool includes(std::uint64_t seq) const { return seq > after && (seq <= told_after || seq > told_until); }
    };

    std::uint64_t all_after_ = never;
    std::unordered_map<std::string, telling> own_;
};

}  // namespace gateway::api::agent
