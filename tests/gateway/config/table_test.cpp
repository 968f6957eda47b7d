#include "gateway/config/table.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace gateway::config {
namespace {

// The fields of config.hpp as its text has them: "section.name".
std::set<std::string> fields_of_the_header() {
    std::ifstream in(CELLGATE_SOURCE_DIR "/gateway/config/config.hpp");
    std::string line, section;
    std::set<std::string> fields;
    const std::regex begins("struct (\\w+)_section \\{");
    const std::regex field(
        "    (?:std::string|bool|integer|decimal|strings|std::map<std::string, integer>) (\\w+)(?: = .*)?;.*");
    const std::regex size("    size_limits (\\w+)\\{.*");
    std::smatch match;
    while (std::getline(in, line)) {
        if (std::regex_match(line, match, begins)) section = match[1];
        if (section == "composio") section = "tools.composio";  // a table in a table
        if (line == "};") section.clear();
        if (section == "sizes" && std::regex_match(line, match, size))
            for (const auto* each : {".cpus", ".memory_bytes", ".pids", ".disk_bytes", ".files_bytes"})
                fields.insert("sizes." + match[1].str() + each);
        if (!section.empty() && std::regex_match(line, match, field)) fields.insert(section + "." + match[1].str());
    }
    fields.erase("kernels.default_name");
    fields.insert("kernels.default");  // a keyword cannot name a field
    return fields;
}

TEST(Settings, AreEveryFieldOfTheStruct) {
    std::set<std::string> keys;
    for (const auto& one : settings()) keys.emplace(one.key);
    EXPECT_EQ(keys, fields_of_the_header());
}

TEST(Settings, HaveKeysVariablesAndPlacesOfTheirOwn) {
    config values;
    std::set<std::string> keys, variables;
    std::set<const void*> places;
    for (const auto& one : settings()) {
        keys.emplace(one.key);
        variables.insert(environment_name(one.key));
        places.insert(std::visit([](auto* at) -> const void* { return at; }, one.at(values)));
    }
    EXPECT_EQ(keys.size(), settings().size());
    EXPECT_EQ(variables.size(), settings().size());
    EXPECT_EQ(places.size(), settings().size());
}

TEST(Settings, AllowTheirDefaults) {
    for (const auto& one : settings()) {
        config fresh;
        auto value = read(one.at(fresh));
        bool found_at_start = !one.default_text.empty();
        EXPECT_TRUE(found_at_start || accepts(one, value)) << one.key << " = " << to_text(value);
    }
}

TEST(Settings, AreDescribedInOneLineWithoutAFullStop) {
    for (const auto& one : settings()) {
        EXPECT_GE(one.description.size(), 10u) << one.key;
        EXPECT_EQ(one.description.find('\n'), std::string_view::npos) << one.key;
        EXPECT_NE(one.description.back(), '.') << one.key;
        EXPECT_FALSE(allowed_text(one).empty()) << one.key;
    }
}

TEST(Settings, HaveVariablesNamedAfterTheirKeys) {
    EXPECT_EQ(environment_name("output_log.memory_bytes"), "CELLGATE_OUTPUT_LOG_MEMORY_BYTES");
}

TEST(Settings, AreAllInTheHelp) {
    auto help = help_text();
    for (const auto& one : settings()) EXPECT_NE(help.find(environment_name(one.key)), help.npos) << one.key;
}

TEST(Nearest, FindsAWordWithASlip) {
    EXPECT_EQ(nearest("server.prot", {"server.port", "server.host"}), "server.port");
    EXPECT_EQ(nearest("tokn", {"host", "token"}), "token");
}

TEST(Nearest, FindsNothingWhenNothingIsNear) { EXPECT_EQ(nearest("elephant", {"port", "host"}), ""); }

}  // namespace
}  // namespace gateway::config
