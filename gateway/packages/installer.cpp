#include "gateway/packages/installer.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "gateway/base/ids.hpp"
#include "gateway/base/log.hpp"
#include "gateway/base/thread_pool.hpp"
#include "gateway/packages/installer_process.hpp"
#include "gateway/packages/requirement.hpp"
#include "gateway/tools/json_text.hpp"

namespace gateway::packages {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string contents_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

const std::string& label_of(const wanted_package& from) { return from.module.empty() ? from.requirement : from.module; }

std::string name_of(const wanted_package& from) { return name_in(from.requirement).value(); }

std::string text_of(const json& from, const char* name) { return tools::text_member(from, name); }

// The installer names requirements; the reader of a cell knows modules.
void read_answer(const std::string& text, const std::vector<wanted_package>& wanted, package_outcome& into) {
    auto parsed = tools::parse_json(text);
    if (!parsed || !parsed->is_object()) return;
    for (const auto& each : parsed->value("installed", json::array())) {
        installed_distribution made{text_of(each, "name"), text_of(each, "version"), {}};
        for (const auto& one : wanted)
            if (name_of(one) == normalized(made.name)) made.module = one.module;
        into.installed.push_back(std::move(made));
    }
    for (const auto& each : parsed->value("refused", json::array()))
        for (const auto& one : wanted)
            if (one.requirement == text_of(each, "requirement"))
                into.refused.push_back({label_of(one), text_of(each, "reason")});
}

std::string staging_below(const std::string& directory) { return directory + "/staging"; }

}  // namespace

struct installer::job {
    job(executor ex, package_request asked) : request(std::move(asked)), deadline(ex), process(ex) {}

    package_request request;
    asio::steady_timer deadline;
    installer_process process;
    package_outcome outcome;
    std::string given_up;  // why it was ended
    bool done = false;
};

installer::installer(executor ex, asio::thread_pool& pool, installer_settings settings)
    : ex_(ex),
      pool_(pool),
      settings_(std::move(settings)),
      allowed_(settings_.allow, contents_of(settings_.package_dir + "/cellgate_kernel/packages/known.txt")),
      changed_(ex),
      tasks_(ex) {}

installer::~installer() = default;

result<void> installer::start() {
    std::error_code error;
    fs::remove_all(staging_below(settings_.directory), error);
    for (const auto& each : {settings_.directory, staging_below(settings_.directory), settings_.directory + "/wheels"})
        if (!error) {
            fs::create_directories(each, error);
            if (!error) fs::permissions(each, fs::perms::owner_all, error);
        }
    if (!error) return {};
    return failure{errc::io_error, "cannot prepare " + settings_.directory + ": " + error.message()};
}

awaitable<package_outcome> installer::install(package_request request) {
    package_outcome refused;
    std::erase_if(request.wanted, [&](const wanted_package& each) {
        auto name = name_in(each.requirement);
        if (name && allowed_.allows(*name)) return false;
        auto reason = name ? *name + " is not among the packages that this gateway installs (packages.allow)"
                           : name.error().message;
        refused.refused.push_back({label_of(each), reason});
        return true;
    });
    if (request.wanted.empty()) co_return refused;
    auto mine = std::make_shared<job>(ex_, std::move(request));
    mine->outcome = std::move(refused);
    mine->deadline.expires_after(settings_.deadline);
    mine->deadline.async_wait([this, weak = std::weak_ptr(mine)](boost::system::error_code ec) {
        auto late = weak.lock();
        if (ec || !late || late->done) return;
        auto seconds = std::chrono::duration_cast<std::chrono::seconds>(settings_.deadline).count();
        give_up(*late,
                "it took longer than the " + std::to_string(seconds) + " s that are allowed (packages.deadline_s)");
    });
    waiting_.push_back(mine);
    pump();
    while (!mine->done) {
        co_await changed_.wait();
        auto state = co_await asio::this_coro::cancellation_state;
        if (state.cancelled() != asio::cancellation_type::none) {
            give_up(*mine, "the cell was interrupted");
            break;
        }
    }
    co_return mine->outcome;
}

bool installer::may_start(const job& which) const {
    return running_.size() < settings_.at_once && std::none_of(running_.begin(), running_.end(), [&](const auto& each) {
               return each->request.session == which.request.session;
           });
}

void installer::pump() {
    for (auto each = waiting_.begin(); each != waiting_.end();) {
        if (!may_start(**each)) {
            ++each;
            continue;
        }
        auto next = *each;
        each = waiting_.erase(each);
        running_.push_back(next);
        tasks_.spawn("packages of " + next->request.session, run(next));
    }
}

void installer::give_up(job& which, const std::string& reason) {
    if (which.given_up.empty()) which.given_up = reason;
    which.process.kill();
    auto queued =
        std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& each) { return each.get() == &which; });
    if (queued == waiting_.end()) return;  // it runs, and ends by itself now
    for (const auto& each : which.request.wanted) which.outcome.refused.push_back({label_of(each), which.given_up});
    which.done = true;
    waiting_.erase(queued);
    changed_.notify_all();
}

awaitable<void> installer::run(std::shared_ptr<job> which) {
    co_await work(which);
    which->done = true;
    which->deadline.cancel();
    std::erase(running_, which);
    if (!stopping_) pump();
    changed_.notify_all();
}

awaitable<void> installer::work(std::shared_ptr<job> which) {
    auto staging = staging_below(settings_.directory) + "/" + make_id("pkg_");
    auto temporary = staging + "/tmp";
    auto make = [temporary] {
        std::error_code error;
        fs::create_directories(temporary, error);
        return !error;
    };
    auto made = co_await run_on(pool_, std::move(make));
    result<std::string> answer = failure{errc::io_error, "there is no room for packages on this machine"};
    if (made) {
        std::vector<std::string> command = {which->request.python, "-I", settings_.package_dir + "/cellgate_installer"};
        auto env = pip_environment(settings_.index, settings_.directory + "/pip", temporary, settings_.inherited_env);
        answer = co_await which->process.run(std::move(command), std::move(env), input_of(*which, staging));
    }
    if (answer) {
        read_answer(*answer, which->request.wanted, which->outcome);
    } else {
        if (which->given_up.empty())
            log::error("packages of session {}: {}", which->request.session, answer.error().message);
        auto reason = which->given_up.empty() ? "the installer failed; the gateway's log says why" : which->given_up;
        for (const auto& each : which->request.wanted) which->outcome.refused.push_back({label_of(each), reason});
    }
    auto clear = [staging] {
        std::error_code error;
        fs::remove_all(staging, error);
        return !error;
    };
    if (!co_await run_on(pool_, std::move(clear))) log::warning("cannot remove {}", staging);
}

std::string installer::input_of(const job& which, const std::string& staging) const {
    std::vector<std::string> requirements;
    for (const auto& each : which.request.wanted)  // two modules may be of one distribution
        if (std::find(requirements.begin(), requirements.end(), each.requirement) == requirements.end())
            requirements.push_back(each.requirement);
    json made = {{"requirements", requirements},
                 {"site", which.request.site},
                 {"staging", staging},
                 {"wheels", settings_.directory + "/wheels"},
                 {"upgrade", which.request.upgrade},
                 {"max_bytes", settings_.max_bytes},
                 {"max_distributions", settings_.max_distributions},
                 {"cache_bytes", settings_.cache_bytes}};
    return tools::to_text(made);
}

awaitable<void> installer::stop() {
    stopping_ = true;
    auto all = running_;
    all.insert(all.end(), waiting_.begin(), waiting_.end());
    for (const auto& each : all) give_up(*each, "the gateway is stopping");
    co_await tasks_.join();
}

}  // namespace gateway::packages
