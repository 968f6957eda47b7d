#include <CLI/CLI.hpp>
#include <filesystem>

#include "gateway/config/assembly.hpp"

namespace gateway::config {
namespace {

constexpr const char* usage =
    "Usage: cellgate [OPTIONS]            serve\n"
    "       cellgate [OPTIONS] COMMAND    see cellgate COMMAND --help\n"
    "\n";

struct command_line {
    std::string file;
    std::map<std::string, std::string> flags;  // key → text, of options such as --port
    strings assignments;                       // of --set KEY=VALUE
    bool help = false, help_config = false, version = false;
    strings rest;
};

// Options of CLI11 are added in `app`; their values land in `into`, which outlives the parsing.
void add_options(CLI::App& app, command_line& into) {
    app.set_help_flag();
    app.add_flag("-h,--help", into.help, "Print this and exit");
    app.add_flag("--help-config", into.help_config, "Print every setting and exit");
    app.add_flag("--version", into.version, "Print the version and exit");
    app.add_option("--config", into.file, "Configuration file (default: ./cellgate.toml if it is there)");
    for (const auto& one : settings()) {
        if (one.flag.empty()) continue;
        app.add_option(std::string(one.flag), into.flags[std::string(one.key)], std::string(one.description));
    }
    app.add_option("--set", into.assignments, "Any other setting: --set SECTION.NAME=VALUE")->allow_extra_args(false);
    app.prefix_command();
}

std::vector<std::string> known_flags() {
    std::vector<std::string> flags = {"--help", "--help-config", "--version", "--config", "--set"};
    for (const auto& one : settings()) {
        if (!one.flag.empty()) flags.emplace_back(one.flag);
    }
    return flags;
}

void parse_arguments(CLI::App& app, command_line& into, const strings& arguments, assembly& all) {
    try {
        app.parse(strings(arguments.rbegin(), arguments.rend()));  // CLI11 takes them last first
    } catch (const CLI::ParseError& wrong) {
        all.problems.push_back(std::string(wrong.what()) + " (from the command line): see cellgate --help");
    }
    into.rest = app.remaining();
    if (!into.rest.empty() && into.rest.front().rfind("-", 0) == 0) {
        all.refuse_unknown(into.rest.front(), "the command line", known_flags());
    }
}

std::vector<std::string> known_keys() {
    std::vector<std::string> keys;
    for (const auto& one : settings()) keys.emplace_back(one.key);
    return keys;
}

void apply(const command_line& given, const CLI::App& app, const origin& here, assembly& all) {
    for (const auto& [key, text] : given.flags) {
        const auto* what = find_setting(key);
        std::string flag(what->flag);
        if (app.count(flag) > 0) all.assign_text(*what, text, {flag, here.base, here.home});
    }
    for (const auto& assignment : given.assignments) {
        auto equals = assignment.find('=');
        auto key = assignment.substr(0, equals);
        const auto* what = find_setting(key);
        if (what == nullptr) {
            all.refuse_unknown(key, "--set", known_keys());
        } else if (equals == assignment.npos) {
            all.refuse(key, "", "--set", "given as --set " + key + "=VALUE, where VALUE is " + allowed_text(*what));
        } else {
            all.assign_text(*what, assignment.substr(equals + 1), {"--set", here.base, here.home});
        }
    }
}

std::string file_to_read(const command_line& given, const origin& here) {
    if (!given.file.empty()) return absolute_path(given.file, here);
    auto usual = absolute_path("cellgate.toml", here);
    std::error_code error;
    return std::filesystem::exists(usual, error) ? usual : "";
}

stop bad_configuration(const std::vector<std::string>& problems) {
    std::string text = problems.size() == 1
                           ? "cellgate: the configuration has an error:\n"
                           : "cellgate: the configuration has " + std::to_string(problems.size()) + " errors:\n";
    for (const auto& problem : problems) text += "  " + problem + "\n";
    return {2, text};
}

}  // namespace

std::variant<loaded, stop> load(const sources& from) {
    CLI::App app("A gateway between Jupyter clients, agents and live kernels", "cellgate");
    command_line given;
    assembly all;
    add_options(app, given);
    parse_arguments(app, given, from.arguments, all);
    if (given.help) return stop{0, usage + app.help()};
    if (given.help_config) return stop{0, help_text()};
    if (given.version) return stop{0, "cellgate " CELLGATE_VERSION "\n"};

    auto home = from.environment.find("HOME");
    origin here{"", from.working_directory, home == from.environment.end() ? "" : home->second};
    auto file = file_to_read(given, here);
    if (!file.empty()) read_file(all, file, here.home);
    read_environment(all, from);
    apply(given, app, here, all);
    check_combinations(all);
    if (!all.problems.empty()) return bad_configuration(all.problems);
    resolve_defaults(all, from);
    all.values.file = file;
    return loaded{std::move(all.values), file, given.rest};
}

}  // namespace gateway::config
