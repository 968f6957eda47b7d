#include "kernel/server/output_queue.hpp"

#include <algorithm>
#include <utility>

#include "kernel/server/encoded_message.hpp"
#include "messaging/utf8.hpp"

namespace kernel {
namespace {

bool are_same(const parent_text& one, const parent_text& other) {
    return one == other || (one && other && *one == *other);
}

bool continues(const stream_text& text, output_stream which, const parent_text& parent) {
    return text.which == which && are_same(text.parent, parent);
}

}  // namespace

std::size_t size_of(const output& what) {
    if (auto* text = std::get_if<stream_text>(&what)) return text->text.size();
    return std::get<messaging::message>(what).size();
}

output_queue::output_queue(const server_settings& settings, unsent_bytes& unsent)
    : coalescing_(settings.coalescing), coalesced_bytes_(settings.coalesced_bytes), unsent_(unsent) {}

bool output_queue::publish(messaging::message what) {
    std::lock_guard held(mutex_);
    if (closed_) return false;
    complete();
    unsent_.add(what.size());
    outputs_.push_back(std::move(what));
    return true;
}

bool output_queue::write(output_stream which, std::string_view text, const parent_text& parent) {
    std::lock_guard held(mutex_);
    if (closed_ || text.empty()) return false;
    if (grows_ && continues(std::get<stream_text>(outputs_.back()), which, parent)) return append(text);
    complete();
    auto& half = half_of(which);
    if (half.bytes.empty()) {
        begin(which, parent);
        append(text);
    } else if (are_same(half.parent, parent)) {
        auto joined = std::exchange(half.bytes, {});
        begin(which, parent);
        append(joined += text);
    } else {
        give_up_half(which);
        begin(which, parent);
        append(text);
    }
    return true;
}

bool output_queue::flush() {
    std::lock_guard held(mutex_);
    if (!grows_) return false;
    complete();
    return true;
}

bool output_queue::send(messaging::message what) {
    std::lock_guard held(mutex_);
    if (closed_) return false;
    replies_.push_back(std::move(what));
    return true;
}

void output_queue::close() {
    std::lock_guard held(mutex_);
    complete();
    for (auto which : {output_stream::out, output_stream::err}) give_up_half(which);
    closed_ = true;
}

std::vector<output> output_queue::take(clock::time_point now, std::size_t bytes) {
    std::lock_guard held(mutex_);
    if (grows_ && now - since_ >= coalescing_) complete();
    std::vector<output> taken;
    for (std::size_t sum = 0; sum < bytes && outputs_.size() > (grows_ ? 1 : 0); outputs_.pop_front()) {
        sum += std::max(size_of(outputs_.front()), least_cost);
        taken.push_back(std::move(outputs_.front()));
    }
    return taken;
}

std::vector<messaging::message> output_queue::take_replies() {
    std::lock_guard held(mutex_);
    return std::exchange(replies_, {});
}

std::optional<output_queue::clock::time_point> output_queue::due() const {
    std::lock_guard held(mutex_);
    if (!replies_.empty() || outputs_.size() > (grows_ ? 1 : 0)) return clock::time_point::min();
    if (grows_) return since_ + coalescing_;
    return std::nullopt;
}

// Its rest did not come: what is there becomes one U+FFFD.
void output_queue::give_up_half(output_stream which) {
    auto half = std::exchange(half_of(which), {});
    if (half.bytes.empty()) return;
    begin(which, half.parent);
    append(messaging::replacement_character);
    complete();
}

void output_queue::begin(output_stream which, const parent_text& parent) {
    outputs_.push_back(stream_text{which, parent, {}});
    grows_ = true;
    since_ = clock::now();
}

// To the text that grows; true when it is complete now.
bool output_queue::append(std::string_view text) {
    auto& last = std::get<stream_text>(outputs_.back());
    last.text += text;
    unsent_.add(text.size());
    if (last.text.size() < coalesced_bytes_) return false;
    complete();
    return true;
}

void output_queue::complete() {
    if (!grows_) return;
    grows_ = false;
    auto& last = std::get<stream_text>(outputs_.back());
    auto half = messaging::unfinished_suffix(last.text);
    if (half == 0) return;
    auto size = last.text.size() - half;
    unsent_.remove(half);
    half_of(last.which) = {last.text.substr(size), last.parent};
    last.text.resize(size);
    if (size == 0) outputs_.pop_back();
}

}  // namespace kernel
