#include "gateway/server/server.hpp"

#include <fmt/core.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/thread_pool.hpp>
#include <csignal>
#include <memory>

#include "gateway/accounts/proxy.hpp"
#include "gateway/api/agent/routes.hpp"
#include "gateway/api/helpers/correction_route.hpp"
#include "gateway/api/helpers/endpoint.hpp"
#include "gateway/api/helpers/execute_route.hpp"
#include "gateway/api/helpers/file_link_route.hpp"
#include "gateway/api/helpers/model_route.hpp"
#include "gateway/api/helpers/package_route.hpp"
#include "gateway/api/helpers/proxy_route.hpp"
#include "gateway/api/helpers/search_route.hpp"
#include "gateway/api/helpers/session_route.hpp"
#include "gateway/api/helpers/tools_route.hpp"
#include "gateway/base/ids.hpp"
#include "gateway/base/log.hpp"
#include "gateway/files/links.hpp"
#include "gateway/http/key_authenticator.hpp"
#include "gateway/http/session_keys.hpp"
#include "gateway/outbound/threaded_resolver.hpp"
#include "gateway/server/descriptors.hpp"
#include "gateway/server/front_page.hpp"
#include "gateway/server/limits.hpp"
#include "gateway/server/network.hpp"
#include "gateway/server/options.hpp"
#include "gateway/tools/service_tools.hpp"

namespace gateway::server {
namespace {

constexpr std::size_t pool_threads = 2;
constexpr std::size_t token_bytes = 24;
// Threads that look up names for sessions, and of them one session's at once.
constexpr std::size_t name_threads = 16;
constexpr std::size_t look_ups_at_once = 2;
// At a stop, for clients that read: to take what they are told, and to end their connections.
constexpr milliseconds tell_time{2'000};
constexpr milliseconds close_time{2'000};

std::string origin_of(const config::server_section& from, std::string host, std::uint16_t port) {
    const auto* scheme = from.tls_certificate.empty() ? "http" : "https";
    if (host.find(':') != std::string::npos) host = "[" + host + "]";
    return fmt::format("{}://{}:{}", scheme, host, port);
}

std::string url_of(const config::server_section& from, std::uint16_t port) {
    return origin_of(from, from.host, port) + (from.base_url == "/" ? "" : from.base_url);
}

// Where this machine reaches the gateway: every address is none to connect to.
std::string own_origin(const config::server_section& from, std::uint16_t port) {
    const auto host = from.host == "0.0.0.0" ? "127.0.0.1" : from.host == "::" ? "::1" : from.host;
    return origin_of(from, host, port);
}

// The parts, in the order in which they are built; they go in the opposite order.
class parts {
  public:
    parts(config::config settings, directories owned, kernels::launcher_process launcher);
    // What may fail: keys, sockets. Then run() serves until a signal.
    result<void> prepare();
    awaitable<void> run();

    asio::io_context& io() { return io_; }
    bool lost_launcher() const { return lost_launcher_; }

  private:
    kernels::kernel_environment make_kernel_environment();
    sessions::registry_parts make_registry_parts();
    result<void> open_keys();
    result<void> open_links();
    result<void> open_accounts();
    result<void> open_session_keys();
    void add_routes();
    void add_helper_routes();
    void announce() const;
    awaitable<void> stop();

    config::config settings_;
    directories owned_;
    kernels::launcher_process launcher_;
    result<::kernel::limits_notice> enforced_;
    asio::io_context io_{1};
    asio::thread_pool pool_{pool_threads};
    asio::thread_pool names_{name_threads};
    result<sessions::network_rules> network_;
    bool lost_launcher_ = false;
    bool signalled_ = false;
    event end_asked_;
    std::unique_ptr<kernels::launcher> processes_;
    kernels::kernel_environment kernels_;
    kernels::kernelspec_store specs_;
    sessions::log_budget budget_;
    sessions::live_registry registry_;
    std::unique_ptr<tools::toolbox> toolkits_;
    std::unique_ptr<tools::toolbox> upstream_;  // theirs, and those of a Composio account where there is one
    std::unique_ptr<tools::model> model_;
    std::unique_ptr<tools::web_search> search_;
    std::unique_ptr<tools::toolbox> toolbox_;  // the toolkits', and those of the services
    packages::installer installer_;
    std::unique_ptr<accounts::account_store> accounts_;
    std::unique_ptr<accounts::proxy> proxy_;
    accounts::link_rules connecting_;
    std::unique_ptr<api::composio::service> composio_;
    std::string made_token_;
    std::shared_ptr<files::links> links_;
    std::unique_ptr<http::key_store> keys_;
    std::unique_ptr<http::authenticator> authenticator_;
    http::key_authenticator* watched_ = nullptr;
    std::shared_ptr<const http::session_keys> session_keys_;
    std::unique_ptr<http::authenticator> all_keys_;  // those of the store, and those of sessions
    http::router router_;
    std::unique_ptr<http::server> server_;
    std::unique_ptr<api::helpers::endpoint> helpers_;
    task_group tasks_;
};

parts::parts(config::config settings, directories owned, kernels::launcher_process launcher)
    : settings_(std::move(settings)),
      owned_(std::move(owned)),
      launcher_(std::move(launcher)),
      enforced_(launcher_.limits()),
      network_(to_network_rules(settings_)),
      end_asked_(io_.get_executor()),
      processes_(launcher_.connect(io_.get_executor(),
                                   [this] {
                                       lost_launcher_ = true;
                                       end_asked_.notify_all();
                                   })),
      kernels_(make_kernel_environment()),
      specs_(to_kernelspec_directories(settings_), to_python3_kernel(settings_)),
      budget_(static_cast<std::size_t>(settings_.output_log.total_memory_bytes),
              static_cast<std::uint64_t>(settings_.output_log.total_disk_bytes)),
      registry_(make_registry_parts()),
      toolkits_(tools::make_toolbox(io_.get_executor(), to_toolkits(settings_))),
      upstream_(settings_.tools.composio.api_key.empty()
                    ? nullptr
                    : tools::make_composio_tools(io_.get_executor(), *toolkits_, to_upstream_options(settings_))),
      model_(tools::make_model(io_.get_executor(), to_model_options(settings_))),
      search_(tools::make_web_search(io_.get_executor(), to_search_options(settings_))),
      toolbox_(tools::make_service_tools(upstream_ ? *upstream_ : *toolkits_, *model_, *search_)),
      installer_(io_.get_executor(), pool_, to_installer_settings(settings_, owned_.data())),
      tasks_(io_.get_executor()) {}

kernels::kernel_environment parts::make_kernel_environment() {
    return {io_.get_executor(),
            *processes_,
            owned_.runtime(),
            settings_.kernels.package_dir,
            owned_.helper_sockets(),
            to_inherited_env(settings_),
            to_read_only_paths(settings_),
            to_kernel_limits(settings_),
            {},
            &pool_,
            to_hidden_places(settings_),
            owned_.empty(),
            to_writable_places(settings_),
            to_guarded_roots(settings_)};
}

sessions::registry_parts parts::make_registry_parts() {
    sessions::registry_parts made{io_.get_executor(), pool_, kernels_, specs_, budget_};
    made.limits =
        to_session_limits(settings_, enforced_ ? *enforced_ : ::kernel::limits_notice(), owned_.disk().has_value());
    made.bounds = to_registry_limits(settings_);
    made.culling = to_culling_rules(settings_);
    made.data_dir = owned_.data();
    if (owned_.disk()) made.limited_dir = owned_.disk()->sessions();
    made.kept_cells_bytes = static_cast<std::uint64_t>(settings_.sessions.kept_cells_bytes);
    made.keep_files = settings_.storage.keep_files;
    made.work_roots = settings_.kernels.work_roots;
    made.named_mounts = to_named_mounts(settings_);
    made.default_kernel = settings_.kernels.default_name;
    if (network_) made.network = *network_;
    made.network.make_resolver = [this] {
        return outbound::make_threaded_resolver(io_.get_executor(), names_, look_ups_at_once);
    };
    made.preload_metadata = to_preload_metadata(settings_);
    made.force_kernel = settings_.kernels.force_name;
    made.warm = to_pool_sizes(settings_);
    return made;
}

result<void> parts::open_session_keys() {
    auto opened = http::session_keys::open(owned_.data());
    if (!opened) return opened.error();
    session_keys_ = std::make_shared<const http::session_keys>(std::move(*opened));
    auto find_user = [this](const std::string& session) -> std::optional<std::string> {
        auto found = registry_.find(session);
        return found ? std::optional(found->options().user_id) : std::nullopt;
    };
    all_keys_ =
        std::make_unique<http::session_key_authenticator>(*authenticator_, *session_keys_, std::move(find_user));
    return {};
}

result<void> parts::open_keys() {
    auto opened = http::key_store::open(owned_.data());
    if (!opened) return opened.error();
    keys_ = std::move(*opened);
    if (settings_.server.auth == "none") {
        authenticator_ = std::make_unique<http::open_authenticator>();
        return {};
    }
    if (settings_.server.token.empty()) made_token_ = random_hex(token_bytes);
    const auto& token = settings_.server.token.empty() ? made_token_ : settings_.server.token;
    auto made = std::make_unique<http::key_authenticator>(*keys_, token);
    watched_ = made.get();
    authenticator_ = std::move(made);
    return {};
}

result<void> parts::open_links() {
    auto opened = files::link_signer::open(owned_.data());
    if (!opened) return opened.error();
    links_ = std::make_shared<files::links>(std::move(*opened), to_link_rules(settings_));
    return {};
}

// Accounts whose key is gone keep nobody from anything else.
result<void> parts::open_accounts() {
    auto opened =
        accounts::account_store::open(owned_.data(), settings_.accounts.key_file, to_account_rules(settings_));
    if (!opened) return opened.error();
    accounts_ = std::move(*opened);
    auto connecting = to_connecting_rules(settings_);
    if (!connecting) return connecting.error();
    connecting_ = std::move(*connecting);
    if (auto found = accounts_->check_key(); !found) log::error("{}", found.error().message);
    proxy_ = std::make_unique<accounts::proxy>(io_.get_executor(), *accounts_, pool_, to_proxy_options(settings_));
    return {};
}

void parts::add_routes() {
    add_front_page(router_);
    auto jupyter = to_jupyter_options(settings_);
    jupyter.pool = &pool_;
    jupyter.log_budget = &budget_;
    jupyter.services = {{"model", &model_->totals()}, {"search", &search_->totals()}, {"proxy", &proxy_->totals()}};
    jupyter.http_connections = [this] { return server_->connections(); };
    api::jupyter::add_jupyter_routes(router_, registry_, std::move(jupyter));
    auto agent = to_agent_options(settings_);
    agent.pool = &pool_;
    agent.links = links_;
    agent.accounts = accounts_.get();
    agent.session_keys = session_keys_;
    api::agent::add_agent_routes(router_, registry_, std::move(agent));
    auto composio = to_composio_options(settings_);
    composio.pool = &pool_;
    composio.links = links_;
    composio.proxy = proxy_.get();
    composio.accounts = accounts_.get();
    composio.connecting = connecting_;
    composio_ = std::make_unique<api::composio::service>(io_.get_executor(), registry_, *toolbox_, std::move(composio));
    composio_->add_routes(router_);
}

void parts::add_helper_routes() {
    // The session had its key a moment ago; should it have ended since, its last call is counted for nobody.
    auto find_meters = [this](const std::string& session) {
        auto found = registry_.find(session);
        return found ? found->meters() : std::make_shared<tools::meters>(io_.get_executor());
    };
    auto find_rights = [this](const std::string& session) {
        api::helpers::account_rights made{false, {}};
        auto found = registry_.find(session);
        if (!found) return made;
        auto rights = composio_->rights_of(*found);
        made.allowed = rights.from_cells;
        made.whose = std::move(rights.whose);
        return made;
    };
    auto find_caller = [this, find_meters](const std::string& session) {
        auto found = registry_.find(session);
        tools::tool_caller made(find_meters(session), found ? found->options().user_id : "default", "");
        made.admits = composio_->filter_of(session);
        return made;
    };
    api::helpers::add_proxy_route(*helpers_, *proxy_, pool_, find_rights, find_meters);
    api::helpers::add_execute_route(*helpers_, *toolbox_, pool_, find_caller);
    api::helpers::add_correction_route(*helpers_, registry_);
    api::helpers::add_package_route(*helpers_, registry_, installer_);
    api::helpers::add_model_route(*helpers_, *model_, find_meters);
    api::helpers::add_search_route(*helpers_, *search_, find_meters);
    api::helpers::add_tools_route(*helpers_, *toolbox_, find_caller);
    api::helpers::add_session_route(*helpers_, registry_);
    api::helpers::add_file_link_route(*helpers_, registry_, *links_, pool_);
}

result<void> parts::prepare() {
    if (auto good = check_limits(settings_, enforced_); !good) return good;
    if (auto good = check_landlock(settings_, enforced_->no_landlock); !good) return good;
    if (auto good = check_disk(settings_, owned_.no_disk()); !good) return good;
    if (owned_.disk() && !owned_.disk()->warning().empty()) log::warning("{}", owned_.disk()->warning());
    if (!network_) return network_.error();
    if (auto opened = open_keys(); !opened) return opened;
    if (auto opened = open_links(); !opened) return opened;
    if (auto opened = open_accounts(); !opened) return opened;
    if (auto opened = open_session_keys(); !opened) return opened;
    if (auto started = registry_.start(); !started) return started;
    if (auto started = installer_.start(); !started) return started;
    add_routes();
    if (auto opened = composio_->keep_in(owned_.data()); !opened) return opened;
    server_ = std::make_unique<http::server>(io_.get_executor(), to_http_options(settings_), router_, *all_keys_);
    auto find_session = [this](const std::string& key) -> std::optional<std::string> {
        auto found = registry_.find_by_helper_key(key);
        return found ? std::optional(found->id()) : std::nullopt;
    };
    helpers_ = std::make_unique<api::helpers::endpoint>(io_.get_executor(), owned_.helper_sockets(), find_session);
    add_helper_routes();
    if (auto bound = helpers_->listen(); !bound) return bound;
    if (auto bound = server_->listen(); !bound) return bound;
    links_->set_own_url(own_origin(settings_.server, server_->port()));
    return {};
}

void parts::announce() const {
    if (settings_.kernels.isolation == "none")
        log::warning("kernels.isolation is \"none\": a session is no boundary, run only code that you trust");
    if (settings_.network.agents == "host")
        log::warning("network.agents is \"host\": sessions are in this machine's network (docs/network.md)");
    fmt::print("listening on {}\n", url_of(settings_.server, server_->port()));
    if (!made_token_.empty()) fmt::print("key {}\n", made_token_);
    std::fflush(stdout);
}

awaitable<void> parts::run() {
    tasks_.spawn("helpers", helpers_->run());
    tasks_.spawn("http", server_->run());
    if (watched_) tasks_.spawn("keys", watched_->watch([this](const std::string& id) { server_->close_key(id); }));
    announce();
    // Held until the end: a second signal does not cut the stop short.
    asio::signal_set signals(io_, SIGINT, SIGTERM);
    signals.async_wait([this](boost::system::error_code ec, int) {
        if (ec) return;
        signalled_ = true;
        end_asked_.notify_all();
    });
    while (!signalled_ && !lost_launcher_) co_await end_asked_.wait();
    if (lost_launcher_) log::error("no kernel can be started any more: the gateway ends, to be started again");
    log::info("stopping");
    co_await stop();
}

// Nothing new; then sessions, whose ends their clients are told; then tools' calls, likewise; then those that do not
// read are cut; then what kernels may have been using to their end.
awaitable<void> parts::stop() {
    server_->refuse_new();
    co_await registry_.stop();
    co_await composio_->stop(tell_time);
    co_await server_->drain(tell_time);
    co_await server_->stop(close_time);
    co_await composio_->stop();  // what clients' ends have begun
    co_await installer_.stop();
    co_await helpers_->stop();
    co_await toolbox_->stop();
    names_.stop();  // nobody waits for the look-ups that have not begun
    tasks_.cancel();
    co_await tasks_.join();
}

int fail(const failure& why) {
    log::error("{}", why.message);
    return 1;
}

}  // namespace

int serve(config::config settings, directories owned, kernels::launcher_process launcher) {
    const auto descriptors = raise_descriptor_limit();
    std::signal(SIGPIPE, SIG_IGN);
    log::set_level(settings.server.log_level);
    settings.server.max_connections = fit_connections(settings.server.max_connections, descriptors);
    parts all(std::move(settings), std::move(owned), std::move(launcher));
    if (auto ready = all.prepare(); !ready) return fail(ready.error());
    std::exception_ptr failed;
    asio::co_spawn(all.io(), all.run(), [&](std::exception_ptr error) {
        failed = error;
        all.io().stop();
    });
    all.io().run();
    if (failed) std::rethrow_exception(failed);
    return all.lost_launcher() ? 1 : 0;
}

}  // namespace gateway::server
