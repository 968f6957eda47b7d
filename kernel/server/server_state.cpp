#include "kernel/server/server_state.hpp"

#include <algorithm>
#include <utility>

namespace kernel {

void resend_queue::add(std::vector<shared_encoded> what, std::vector<std::string> to) {
    auto client = std::make_shared<const std::vector<std::string>>(std::move(to));
    std::lock_guard held(mutex_);
    for (auto& each : what) messages_.push_back({std::move(each), client});
}

std::vector<wanted_again> resend_queue::take(std::size_t bytes) {
    std::lock_guard held(mutex_);
    std::vector<wanted_again> taken;
    for (std::size_t sum = 0; sum < bytes && !messages_.empty(); messages_.pop_front()) {
        sum += std::max(messages_.front().what->size, least_cost);
        taken.push_back(std::move(messages_.front()));
    }
    return taken;
}

bool resend_queue::is_empty() const {
    std::lock_guard held(mutex_);
    return messages_.empty();
}

server_state::server_state(const server_settings& settings)
    // Room lets the io thread read the captured pipes again.
    : unsent(settings.unsent_limit, [this] { wake.ring(); }),
      outputs(settings, unsent),
      kept(settings.kept_bytes),
      captured([this](output_stream which, std::string_view text, const parent_text& parent) {
          if (outputs.write(which, text, parent)) wake.ring();
      }) {}

}  // namespace kernel
