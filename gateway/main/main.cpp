// cellgate: serves, or manages keys and accounts. The launcher is started before there is any thread or socket, so that
// it may fork.
#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <variant>

#include "gateway/config/config.hpp"
#include "gateway/http/keys_command.hpp"
#include "gateway/main/accounts_command.hpp"
#include "gateway/main/doctor_command.hpp"
#include "gateway/server/server.hpp"

namespace {

using namespace gateway;

int fail(const failure& why) {
    std::cerr << "cellgate: " << why.message << '\n';
    return 1;
}

int run_keys(const std::string& data_dir, std::vector<std::string> words) {
    CLI::App app{"API keys: each belongs to a user and a scope (execute, session or admin)", "cellgate keys"};
    app.require_subcommand(1);
    std::string name, user = "default", scope = "session", which;
    auto* add = app.add_subcommand("add", "Make a key and print it once");
    add->add_option("name", name, "A name to know it by")->required();
    add->add_option("--user", user, "The user ID that it belongs to")->capture_default_str();
    add->add_option("--scope", scope,
                    "execute: use the user's sessions; session: also make and end them; admin: any user")
        ->capture_default_str();
    auto* list = app.add_subcommand("list", "All keys, without their secrets");
    auto* revoke = app.add_subcommand("revoke", "Refuse a key from now on, and close its sockets");
    revoke->add_option("key", which, "Its id or name")->required();
    std::reverse(words.begin(), words.end());  // CLI11 takes a vector from its end
    try {
        app.parse(words);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    auto store = http::key_store::open(data_dir);
    if (!store) return fail(store.error());
    if (list->parsed()) return http::list_keys(**store, std::cout, std::cerr);
    if (revoke->parsed()) return http::revoke_key(**store, which, std::cout, std::cerr);
    return http::add_key(**store, name, user, scope, std::cout, std::cerr);
}

int run_gateway(config::config settings) {
    auto launcher = kernels::launcher_process::start(settings.kernels.launcher, box_settings_of(settings));
    if (!launcher) return fail(launcher.error());
    auto owned = server::directories::claim(settings.storage.data_dir, settings.storage.runtime_dir);
    if (!owned) return fail(owned.error());
    if (auto mounted = owned->mount_disk(settings.storage); !mounted) return fail(mounted.error());
    if (auto good = check_boundary(settings, owned->data(), owned->runtime()); !good) return fail(good.error());
    return server::serve(std::move(settings), std::move(*owned), std::move(*launcher));
}

int run(int argc, char** argv) {
    auto outcome = config::load(config::process_sources(argc, argv));
    if (const auto* stop = std::get_if<config::stop>(&outcome)) {
        (stop->status == 0 ? std::cout : std::cerr) << stop->text;
        return stop->status;
    }
    auto& loaded = std::get<config::loaded>(outcome);
    if (loaded.command.empty()) return run_gateway(std::move(loaded.values));
    if (loaded.command.front() == "keys")
        return run_keys(loaded.values.storage.data_dir, {loaded.command.begin() + 1, loaded.command.end()});
    if (loaded.command.front() == "accounts")
        return run_accounts(loaded.values, {loaded.command.begin() + 1, loaded.command.end()});
    if (loaded.command.front() == "doctor" && loaded.command.size() == 1) return run_doctor(loaded.values);
    if (loaded.command.front() == "doctor") {
        std::cerr << "cellgate doctor takes nothing behind it: put the options before the word\n";
        return 2;
    }
    std::cerr << "cellgate: there is no command " << loaded.command.front()
              << "; there are keys, accounts and doctor, or none to serve\n";
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::cerr << "cellgate: " << error.what() << '\n';
        return 1;
    }
}
