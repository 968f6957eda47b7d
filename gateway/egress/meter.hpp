// What a session's connections carried and what was refused them, by destination; and the ceiling of its bytes.
// Bounded: a session that tries thousands of hosts gets `max_destinations` rows and one for all others. Owned by the
// proxy; io thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "gateway/base/ids.hpp"
#include "gateway/egress/denial.hpp"
#include "gateway/egress/destination.hpp"

namespace gateway::egress {

struct traffic {
    std::uint64_t connections = 0;
    std::uint64_t bytes_in = 0;   // from the destination
    std::uint64_t bytes_out = 0;  // to it
};

struct refusals {
    std::uint64_t count = 0;
    wall_clock::time_point last;
    denial why{};  // the last time
};

// Rows by "host:port"; `others` is the sum of those that came when there were `max_destinations`.
template <class Row>
struct bounded_table {
    std::map<std::string, Row, std::less<>> rows;
    Row others;

    Row& at(const std::string& key, std::size_t most) {
        if (auto found = rows.find(key); found != rows.end()) return found->second;
        return rows.size() < most ? rows[key] : others;
    }
};

// Each is called on the io thread, within what caused it, and may be empty.
struct meter_events {
    // The first refusal of each row of the table; the last call may be for all others. Later ones are only counted.
    std::function<void(const destination& to, denial why)> denied;
    // Once for each ceiling.
    std::function<void(std::uint64_t max_bytes)> used_up;
};

enum class direction { in, out };

class meter {
  public:
    using clock = std::function<wall_clock::time_point()>;

    meter(std::size_t max_destinations, meter_events tell, clock now = wall_clock::now);

    // May call used_up.
    void set_ceiling(std::optional<std::uint64_t> max_bytes);
    void count_connection(const destination& to);
    // How many of `wanted` bytes may pass; they count as passed. May call used_up.
    std::size_t take(const destination& of, direction which, std::size_t wanted);
    void count_denied(const destination& to, denial why);

    bool is_used_up() const { return max_bytes_ && total() >= *max_bytes_; }
    std::uint64_t total() const { return all_.bytes_in + all_.bytes_out; }
    const traffic& all() const { return all_; }
    const bounded_table<traffic>& destinations() const { return destinations_; }
    const bounded_table<refusals>& denied() const { return denied_; }

  private:
    void tell_if_used_up();

    std::size_t max_destinations_;
    meter_events tell_;
    clock now_;
    std::optional<std::uint64_t> max_bytes_;
    bool told_ = false;
    traffic all_;
    bounded_table<traffic> destinations_;
    bounded_table<refusals> denied_;
};

}  // namespace gateway::egress
