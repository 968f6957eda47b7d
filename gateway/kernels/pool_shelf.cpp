#include "gateway/kernels/pool_shelf.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace gateway::kernels {
namespace {

// Read by Python, the loader or the C library when a process starts.
bool counts_only_at_start(std::string_view name) {
    static constexpr std::array<std::string_view, 5> prefixes = {"PYTHON", "LD_", "LC_", "IPYTHON", "JUPYTER_"};
    static constexpr std::array<std::string_view, 3> names = {"LANG", "LANGUAGE", "TZ"};
    return std::any_of(prefixes.begin(), prefixes.end(), [&](auto each) { return name.starts_with(each); }) ||
           std::find(names.begin(), names.end(), name) != names.end();
}

bool same_spec(const kernelspec& one, const kernelspec& other) {
    return one.directory == other.directory && one.json == other.json;
}

bool fits(const kernel_options& options, const pool_wish& wish) {
    if (options.working_dir != wish.working_dir || options.own_network != wish.own_network) return false;
    if (options.env == wish.env) return true;
    return options.spec.is_python() && can_change_later(options.env, wish.env);
}

}  // namespace

bool can_change_later(const std::map<std::string, std::string>& current,
                      const std::map<std::string, std::string>& env) {
    auto same = [](const auto& in, const auto& entry) {
        auto found = in.find(entry.first);
        return found != in.end() && found->second == entry.second;
    };
    auto bad_in = [&](const auto& one, const auto& other) {
        return std::any_of(one.begin(), one.end(),
                           [&](const auto& each) { return !same(other, each) && counts_only_at_start(each.first); });
    };
    return !bad_in(current, env) && !bad_in(env, current);
}

pool_slot::pool_slot(kernel_environment& shared, kernel_options wanted, std::function<void(pool_slot&)> lost)
    : options(std::move(wanted)),
      environment(options.spec),
      running(std::make_unique<kernel>(shared, options, *this)),
      lost_(std::move(lost)) {}

void pool_slot::on_message(messaging::shared_message) {}

void pool_slot::on_state(kernel_state state, end_reason) {
    if (state == kernel_state::restarting || state == kernel_state::dead) lost_(*this);
}

pool_shelf::pool_shelf(pool_size what, const pool_settings& settings)
    : what_(std::move(what)), first_backoff_(settings.first_backoff), longest_backoff_(settings.longest_backoff) {}

void pool_shelf::put(std::shared_ptr<pool_slot> slot) { slots_.push_back(std::move(slot)); }

std::shared_ptr<pool_slot> pool_shelf::remove(const pool_slot& which) {
    auto found = std::find_if(slots_.begin(), slots_.end(), [&](const auto& each) { return each.get() == &which; });
    if (found == slots_.end()) return nullptr;
    auto slot = std::move(*found);
    slots_.erase(found);
    return slot;
}

std::shared_ptr<pool_slot> pool_shelf::take(const pool_wish& wish, const kernelspec& spec,
                                            std::list<std::shared_ptr<pool_slot>>& stale) {
    const environment_stamp now(spec);
    for (auto each = slots_.begin(); each != slots_.end();) {
        auto here = each++;
        if (!same_spec((*here)->options.spec, spec) || (*here)->environment != now) {
            stale.splice(stale.end(), slots_, here);
        } else if (fits((*here)->options, wish)) {
            auto slot = std::move(*here);
            slots_.erase(here);
            return slot;
        }
    }
    return nullptr;
}

std::list<std::shared_ptr<pool_slot>> pool_shelf::take_all() { return std::exchange(slots_, {}); }

void pool_shelf::was_taken(pool_clock::time_point now, milliseconds settle) {
    next_start_ = std::max(next_start_, now + settle);
}

void pool_shelf::failed(pool_clock::time_point now) {
    if (backoff_.count() > 0 && now < last_failure_ + backoff_) return;
    auto in_a_row = backoff_.count() > 0 && now - last_failure_ <= 2 * longest_backoff_;
    backoff_ = in_a_row ? std::min(2 * backoff_, longest_backoff_) : first_backoff_;
    last_failure_ = now;
    next_start_ = now + backoff_;
}

}  // namespace gateway::kernels
