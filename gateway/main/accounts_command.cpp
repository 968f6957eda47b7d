#include "gateway/main/accounts_command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "gateway/accounts/command.hpp"

namespace gateway {
namespace {

struct words_of_accounts {
    accounts::account what;
    std::string scheme, header, query, secret_file = "-", user, id;
};

std::string refuse_empty(const std::string& given) { return given.empty() ? "must not be empty" : ""; }

void describe_add(CLI::App& app, words_of_accounts& into) {
    auto* add = app.add_subcommand("add", "Add an account; its secret is read from standard input or a file, one line");
    add->add_option("toolkit", into.what.toolkit, "The toolkit that it is for, such as github")->required();
    add->add_option("--base-url", into.what.base_url, "Where its endpoints are, https://HOST/PATH")->required();
    add->add_option("--scheme", into.scheme, "How it authenticates: api_key, basic or bearer")
        ->required()
        ->check(CLI::IsMember({"api_key", "basic", "bearer"}));
    add->add_option("--user", into.what.user_id, "The user ID that it belongs to")->capture_default_str();
    add->add_option("--alias", into.what.alias, "A name to choose it by, where the user has several");
    add->add_option("--host", into.what.hosts, "Another host that it may call; may be repeated")
        ->allow_extra_args(false);
    auto* header = add->add_option("--header", into.header, "api_key: the header that has the key (default: x-api-key)")
                       ->check(refuse_empty);
    add->add_option("--query", into.query, "api_key: the query parameter that has it")
        ->excludes(header)
        ->check(refuse_empty);
    add->add_option("--prefix", into.what.prefix, "api_key: what stands before it in the header, such as \"Token \"");
    add->add_option("--username", into.what.username, "basic: the user name");
    add->add_option("--secret-file", into.secret_file, "File that holds the secret; -: standard input")
        ->capture_default_str();
}

accounts::account account_of(words_of_accounts from) {
    from.what.scheme = accounts::find_scheme(from.scheme).value_or(from.what.scheme);
    from.what.place = from.query.empty() ? accounts::key_place::header : accounts::key_place::query;
    from.what.parameter = from.query.empty() ? from.header : from.query;
    return from.what;
}

}  // namespace

int run_accounts(const config::config& settings, std::vector<std::string> words) {
    CLI::App app{"Connected accounts: the services that cells call by proxy_execute", "cellgate accounts"};
    app.require_subcommand(1);
    words_of_accounts given;
    describe_add(app, given);
    auto* list = app.add_subcommand("list", "All accounts, without their secrets");
    list->add_option("--user", given.user, "Only this user's");
    auto* remove = app.add_subcommand("remove", "Remove an account and its secret");
    remove->add_option("id", given.id, "Its id, ca_…")->required();
    std::reverse(words.begin(), words.end());  // CLI11 takes a vector from its end
    try {
        app.parse(words);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    accounts::account_rules rules{settings.accounts.plain_http};
    auto store = accounts::account_store::open(settings.storage.data_dir, settings.accounts.key_file, rules);
    if (!store) {
        std::cerr << "cellgate: " << store.error().message << '\n';
        return 1;
    }
    if (list->parsed()) return accounts::list_accounts(**store, given.user, std::cout, std::cerr);
    if (remove->parsed()) return accounts::remove_account(**store, given.id, std::cout, std::cerr);
    return accounts::add_account(**store, account_of(given), given.secret_file, std::cin, std::cout, std::cerr);
}

}  // namespace gateway
