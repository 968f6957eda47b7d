#include "gateway/sessions/live_registry.hpp"

#include <fmt/core.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <utility>

#include "gateway/base/ids.hpp"
#include "gateway/base/log.hpp"

namespace gateway::sessions {
namespace {

constexpr std::size_t remembered_tombstones = 1000;

bool same_key(const std::string& left, const std::string& right) {
    return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace

live_registry::live_registry(registry_parts parts) : parts_(std::move(parts)), tasks_(parts_.ex) {}

live_registry::~live_registry() = default;

result<void> live_registry::start() {
    if (auto opened = open_directories(); !opened) return opened;
    if (auto revived = revive_sessions(); !revived) return revived;
    prepare_zygotes();
    start_warm_pool();
    tasks_.spawn("culling", cull_forever());
    if (keeper_) tasks_.spawn("keeping", keep_forever());
    return {};
}

result<void> live_registry::admit(const session_options& options) const {
    if (stopping_) return failure{errc::unavailable, "the gateway is restarting: ask again in a moment"};
    if (find_by_name(options.user_id, options.name))
        return failure{errc::name_taken,
                       fmt::format("you have a session named {} already; take another name", options.name)};
    if (!options.kernel_id.empty() && (find_kernel(options.kernel_id) || !tombstone(options.kernel_id).empty()))
        return failure{errc::conflict,
                       fmt::format("the kernel id {} is in use; choose another UUID", options.kernel_id)};
    if (options.network && !parts_.network.has_own(options.made_by)) return no_own_network(options.made_by);
    const auto& bounds = parts_.bounds;
    if (bounds.max_kernels > 0 && sessions_.size() >= bounds.max_kernels)
        return failure{errc::limit_reached,
                       fmt::format("Resource Limit: {} kernels are running and kernels.max is {}; end one first",
                                   sessions_.size(), bounds.max_kernels)};
    const auto of_user =
        static_cast<std::size_t>(std::count_if(sessions_.begin(), sessions_.end(), [&](const auto& each) {
            return each.second->options().user_id == options.user_id;
        }));
    if (bounds.max_kernels_per_user > 0 && of_user >= bounds.max_kernels_per_user)
        return failure{errc::limit_reached,
                       fmt::format("Resource Limit: {} has {} kernels and kernels.max_per_user is {}; end one first",
                                   options.user_id, of_user, bounds.max_kernels_per_user)};
    return {};
}

// Written down while its kernel starts.
awaitable<result<std::shared_ptr<session>>> live_registry::create(session_options options) {
    auto made = make(std::move(options));
    if (!made) co_return made.error();
    const auto which = *made;
    if (!keeper_ || which->options().made_by != origin::agent) co_return std::shared_ptr<session>(which);
    keeper_->put(which->kept());
    auto kept = co_await keeper_->written(which->id());
    if (kept && sessions_.contains(which->id()))
        if (auto claimed = directories_->claim(which->directory()); !claimed)
            kept = failure{errc::io_error, claimed.error().text};
    if (kept) co_return std::shared_ptr<session>(which);
    (void)co_await remove(which->id(), kernels::end_reason::session_ended);
    co_return failure{kept.error().code, "the session cannot be written down: " + kept.error().message};
}

result<std::shared_ptr<live_session>> live_registry::make(session_options options) {
    if (!parts_.force_kernel.empty()) options.kernel_name = parts_.force_kernel;
    if (options.kernel_name.empty()) options.kernel_name = default_kernel();
    auto spec = parts_.specs.find(options.kernel_name);
    if (!spec) return spec.error();
    const auto id = make_id("ses_");
    if (options.name.empty()) options.name = id;
    if (auto admitted = admit(options); !admitted) return admitted.error();
    auto setup = prepare(id, options, *spec);
    if (!setup) return setup.error();
    auto made = std::make_shared<live_session>(std::move(*setup));
    sessions_.emplace(id, made);
    made->start();
    log::info("session {} of {}: {} ({})", id, made->options().user_id, made->spec().name, made->kernel_id());
    return made;
}

std::shared_ptr<session> live_registry::find(const std::string& id) const {
    auto found = sessions_.find(id);
    return found == sessions_.end() ? nullptr : found->second;
}

std::shared_ptr<session> live_registry::find_by_name(const std::string& user_id, const std::string& name) const {
    for (const auto& [id, each] : sessions_)
        if (each->options().user_id == user_id && each->name() == name) return each;
    return nullptr;
}

std::shared_ptr<session> live_registry::find_by_helper_key(const std::string& key) const {
    std::shared_ptr<session> found;
    for (const auto& [id, each] : sessions_)  // all of them: the time tells nothing about where it was found
        if (same_key(each->helper_key(), key)) found = each;
    return found;
}

std::vector<std::shared_ptr<session>> live_registry::list() const {
    std::vector<std::shared_ptr<session>> all;
    for (const auto& each : sessions_) all.push_back(each.second);
    std::sort(all.begin(), all.end(), [](const auto& left, const auto& right) {
        return std::pair(left->created_at(), left->id()) < std::pair(right->created_at(), right->id());
    });
    return all;
}

std::optional<kernel_entry> live_registry::find_kernel(const std::string& kernel_id) const {
    if (auto through = aliases_.find(kernel_id); through != aliases_.end())
        if (auto owner = find(through->second.session_id)) return kernel_entry{owner, through->second, true};
    for (const auto& [id, each] : sessions_)
        if (each->kernel_id() == kernel_id)
            return kernel_entry{each, std::nullopt, each->options().made_by == origin::jupyter};
    return std::nullopt;
}

std::vector<kernel_entry> live_registry::kernels() const {
    std::vector<kernel_entry> all;
    for (const auto& each : list())
        all.push_back(kernel_entry{each, std::nullopt, each->options().made_by == origin::jupyter});
    for (const auto& [kernel_id, each] : aliases_)
        if (auto owner = find(each.session_id)) all.push_back(kernel_entry{owner, each, true});
    return all;
}

std::string live_registry::tombstone(const std::string& kernel_id) const {
    auto found = tombstones_.find(kernel_id);
    return found == tombstones_.end() ? std::string() : found->second;
}

void live_registry::bury(const std::string& kernel_id, kernels::end_reason why) {
    tombstones_[kernel_id] = to_string(why);
    buried_.push_back(kernel_id);
    if (buried_.size() <= remembered_tombstones) return;
    tombstones_.erase(buried_.front());
    buried_.pop_front();
}

result<alias> live_registry::attach(const std::string& session_id, const std::string& user_id) {
    auto owner = find(session_id);
    if (!owner) return failure{errc::session_not_found, "there is no session " + session_id};
    if (!owner->has_sandbox()) return no_sandbox();
    alias made{make_uuid(), "attach-" + session_id, session_id,
               user_id,     wall_clock::now(),      std::chrono::steady_clock::now()};
    aliases_[made.kernel_id] = made;
    return made;
}

void live_registry::detach(const std::string& alias_id) {
    auto gone = aliases_.extract(alias_id);
    if (gone.empty()) return;
    if (auto owner = sessions_.find(gone.mapped().session_id); owner != sessions_.end())
        owner->second->disconnect_via(alias_id);
}

awaitable<result<void>> live_registry::remove(std::string session_id, kernels::end_reason why) {
    auto gone = sessions_.extract(session_id);
    if (gone.empty()) co_return failure{errc::session_not_found, "there is no session " + session_id};
    auto which = std::move(gone.mapped());
    bury(which->kernel_id(), why);
    std::vector<std::string> through;
    for (const auto& [kernel_id, each] : aliases_)
        if (each.session_id == session_id) through.push_back(kernel_id);
    for (const auto& each : through) {
        bury(each, why);
        aliases_.erase(each);
    }
    co_await which->end(why);
    const bool is_kept = keeper_ && which->options().made_by == origin::agent;
    if (is_kept && why == kernels::end_reason::gateway_ended) co_return result<void>{};
    if (is_kept) {
        // Before its files go: it never comes back without them.
        directories_->let_go_of(which->directory());
        keeper_->remove(session_id);
        auto removed = co_await keeper_->written(session_id);
        if (!removed)
            co_return failure{errc::io_error, "the session has ended, and goes from the database once that takes it: " +
                                                  removed.error().message};
    }
    co_await remove_directories(which->directory());
    log::info("session {} ended: {}", session_id, to_string(why));
    co_return result<void>{};
}

awaitable<void> live_registry::stop() {
    stopping_ = true;
    tasks_.cancel();
    task_group ends(parts_.ex);
    auto end_one = [this](std::string id) -> awaitable<void> {
        (void)co_await remove(std::move(id), kernels::end_reason::gateway_ended);
    };
    std::vector<std::string> ids;
    for (const auto& each : sessions_) ids.push_back(each.first);
    for (auto& each : ids) ends.spawn("end of " + each, end_one(each));
    if (warm_) ends.spawn("end of the warm pool", warm_->stop());
    co_await ends.join();
    co_await tasks_.join();
    if (keeper_) co_await keeper_->stop();
}

}  // namespace gateway::sessions
