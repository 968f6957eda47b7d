#include "gateway/kernels/pool.hpp"

#include <algorithm>
#include <list>
#include <utility>
#include <vector>

#include "gateway/base/log.hpp"
#include "gateway/kernels/pool_shelf.hpp"

namespace gateway::kernels {
namespace {

// Between the pool and its session a kernel tells nobody; what it says then is the rest of its start.
class no_listener final : public kernel_listener {
  public:
    void on_message(messaging::shared_message) override {}
    void on_state(kernel_state, end_reason) override {}
};

}  // namespace

struct pool::implementation : std::enable_shared_from_this<pool::implementation> {
    using self_pointer = std::shared_ptr<implementation>;
    using slot_pointer = std::shared_ptr<pool_slot>;

    implementation(kernel_environment& shared, kernelspec_store& specs, pool_settings settings, make_options make,
                   discard drop);

    static awaitable<void> refill(self_pointer self);
    static awaitable<void> start_one(self_pointer self, pool_shelf& shelf, slot_pointer slot);
    static awaitable<void> retire(self_pointer self, slot_pointer slot);
    std::optional<pooled_kernel> take(const pool_wish& wish);
    static awaitable<void> stop(self_pointer self);

    bool is_for(const pool_shelf& shelf, const kernelspec& spec);
    bool has_turn(const pool_shelf& shelf);
    pool_shelf* most_urgent();
    void begin_start(pool_shelf& shelf);
    slot_pointer make_slot(pool_shelf& shelf);
    slot_pointer choose(const pool_wish& wish);
    void lose(pool_slot& slot);
    void retire_later(slot_pointer slot);
    void failed(pool_shelf& shelf, const std::string& why);

    kernel_environment& shared;
    kernelspec_store& specs;
    pool_settings settings;
    make_options make;
    discard drop;
    std::vector<pool_shelf> shelves;
    std::list<std::weak_ptr<pool_slot>> slots;  // all that still live, also those that coroutines hold
    std::list<slot_pointer> starting;
    bool stopped = false;
    no_listener nobody;
    event changed;
    task_group tasks;
};

pool::implementation::implementation(kernel_environment& shared, kernelspec_store& specs, pool_settings settings,
                                     make_options make, discard drop)
    : shared(shared),
      specs(specs),
      settings(std::move(settings)),
      make(std::move(make)),
      drop(std::move(drop)),
      changed(shared.ex),
      tasks(shared.ex) {
    for (const auto& each : this->settings.sizes)
        if (each.count > 0) shelves.emplace_back(each, this->settings);
}

// Several names may stand for one spec: python, python3 and cellgate.
bool pool::implementation::is_for(const pool_shelf& shelf, const kernelspec& spec) {
    auto own = specs.find(shelf.spec_name());
    return own && own->directory == spec.directory;
}

bool pool::implementation::has_turn(const pool_shelf& shelf) {
    auto spec = specs.find(shelf.spec_name());
    auto forked = spec && spec->hints.is_forked();
    auto same = [&](const slot_pointer& each) { return each->options.spec.hints.is_forked() == forked; };
    auto many = static_cast<std::size_t>(std::count_if(starting.begin(), starting.end(), same));
    return many < (forked ? settings.forked_at_once : 1);
}

// Of the shelves that lack a kernel the one that may start it first.
pool_shelf* pool::implementation::most_urgent() {
    pool_shelf* best = nullptr;
    for (auto& each : shelves)
        if (each.lacks() && (!best || each.next_start() < best->next_start()) && has_turn(each)) best = &each;
    return best;
}

awaitable<void> pool::implementation::refill(self_pointer self) {
    while (!self->stopped) {
        auto* shelf = self->most_urgent();
        auto now = pool_clock::now();
        if (!shelf)
            co_await self->changed.wait();
        else if (shelf->next_start() > now)
            co_await self->changed.wait_for(std::chrono::ceil<milliseconds>(shelf->next_start() - now));
        else
            self->begin_start(*shelf);
    }
}

void pool::implementation::begin_start(pool_shelf& shelf) {
    auto slot = make_slot(shelf);
    if (!slot) return;
    shelf.start_began();
    starting.push_back(slot);
    tasks.spawn("pool", start_one(shared_from_this(), shelf, std::move(slot)));
}

pool::implementation::slot_pointer pool::implementation::make_slot(pool_shelf& shelf) {
    auto spec = specs.find(shelf.spec_name());
    auto options = spec ? make(*spec, shelf.own_network()) : result<kernel_options>(spec.error());
    if (!options) {
        failed(shelf, options.error().message);
        return nullptr;
    }
    auto lost = [weak = weak_from_this()](pool_slot& slot) {
        if (auto self = weak.lock()) self->lose(slot);
    };
    auto slot = std::make_shared<pool_slot>(shared, std::move(*options), std::move(lost));
    slots.remove_if([](const auto& each) { return each.expired(); });
    slots.push_back(slot);
    return slot;
}

awaitable<void> pool::implementation::start_one(self_pointer self, pool_shelf& shelf, slot_pointer slot) {
    auto started = co_await slot->running->start();
    if (!slot->running) co_return;  // the pool is gone, and its shelves
    self->starting.remove(slot);
    shelf.start_ended();
    self->changed.notify_all();
    if (!self->stopped && started && slot->running->state() == kernel_state::idle) {
        shelf.put(std::move(slot));
        co_return;
    }
    if (!self->stopped) self->failed(shelf, started ? "it died" : started.error().message);
    self->retire_later(std::move(slot));
}

void pool::implementation::failed(pool_shelf& shelf, const std::string& why) {
    shelf.failed(pool_clock::now());
    log::warning("the pool has no {} kernel for the moment: {}", shelf.spec_name(), why);
}

void pool::implementation::lose(pool_slot& slot) {
    for (auto& shelf : shelves) {
        auto mine = shelf.remove(slot);
        if (!mine) continue;
        failed(shelf, "one died");
        retire_later(std::move(mine));
        changed.notify_all();
    }
}

void pool::implementation::retire_later(slot_pointer slot) {
    tasks.spawn("pool", retire(shared_from_this(), std::move(slot)));
}

awaitable<void> pool::implementation::retire(self_pointer self, slot_pointer slot) {
    const auto why = self->stopped ? end_reason::gateway_ended : end_reason::culled;
    if (slot->running) co_await slot->running->shutdown(why);
    if (!slot->running) co_return;
    slot->running.reset();
    if (self->drop) self->drop(slot->options);
}

pool::implementation::slot_pointer pool::implementation::choose(const pool_wish& wish) {
    auto spec = specs.find(wish.spec_name);
    if (!spec || stopped) return nullptr;
    std::list<slot_pointer> stale;
    slot_pointer slot;
    for (auto shelf = shelves.begin(); shelf != shelves.end() && !slot; ++shelf) {
        if (!is_for(*shelf, *spec)) continue;
        slot = shelf->take(wish, *spec, stale);
        auto settle = spec->hints.is_forked() ? settings.settle_forked : settings.settle;
        if (slot) shelf->was_taken(pool_clock::now(), settle);
    }
    for (auto& each : stale) retire_later(std::move(each));
    if (slot) slot->running->call_spec(spec->name);
    changed.notify_all();
    return slot;
}

std::optional<pooled_kernel> pool::implementation::take(const pool_wish& wish) {
    auto slot = choose(wish);
    if (!slot) return std::nullopt;
    slot->running->set_listener(nobody);
    return pooled_kernel{std::move(slot->running), std::move(slot->options)};
}

awaitable<void> pool::implementation::stop(self_pointer self) {
    self->stopped = true;
    const auto starting = self->starting;
    for (const auto& each : starting)  // one that came up meanwhile is being retired
        if (each->running) co_await each->running->shutdown(end_reason::gateway_ended);
    for (auto& shelf : self->shelves)
        for (auto& slot : shelf.take_all()) self->retire_later(std::move(slot));
    self->changed.notify_all();
    co_await self->tasks.join();
}

pool::pool(kernel_environment& shared, kernelspec_store& specs, pool_settings settings, make_options make, discard drop)
    : implementation_(
          std::make_shared<implementation>(shared, specs, std::move(settings), std::move(make), std::move(drop))) {}

// Coroutines that wait may hold slots for as long as the io thread's queue lives: their kernels go now, which ends
// every wait.
pool::~pool() {
    implementation_->stopped = true;
    for (auto& each : implementation_->slots)
        if (auto slot = each.lock()) slot->running.reset();
    implementation_->shelves.clear();
    implementation_->changed.notify_all();
}

void pool::start() { implementation_->tasks.spawn("pool", implementation::refill(implementation_)); }

std::optional<pooled_kernel> pool::take(const pool_wish& wish) { return implementation_->take(wish); }

awaitable<void> pool::stop() { return implementation::stop(implementation_); }

std::size_t pool::ready(const std::string& spec_name) const {
    std::size_t count = 0;
    auto spec = implementation_->specs.find(spec_name);
    for (const auto& each : implementation_->shelves)
        if (spec && implementation_->is_for(each, *spec)) count += each.ready();
    return count;
}

}  // namespace gateway::kernels
