#include "kernel/server/server_state.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kernel {

void resend_queue::add(std::vector<shared_encoded> what) {
    std::lock_guard held(mutex_);
    std::move(what.begin(), what.end(), std::back_inserter(messages_));
}

std::vector<shared_encoded> resend_queue::take(std::size_t most) {
    std::lock_guard held(mutex_);
    auto end = messages_.begin() + static_cast<std::ptrdiff_t>(std::min(most, messages_.size()));
    std::vector<shared_encoded> taken(std::move_iterator(messages_.begin()), std::move_iterator(end));
    messages_.erase(messages_.begin(), end);
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
