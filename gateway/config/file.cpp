#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "gateway/config/assembly.hpp"
#include "gateway/config/named_mounts.hpp"
#include "gateway/config/services.hpp"
#include "gateway/config/toolkits.hpp"

namespace gateway::config {
namespace {

using table_reader = void (*)(assembly& into, const std::string& name, const std::vector<table_entry>& entries,
                              const std::string& where);

// Of tables that operators name.
table_reader find_table_reader(const std::string& key) {
    if (key == "tools.toolkits") return read_toolkit;
    return key == "accounts.services" ? read_service : nullptr;
}

// One file on its way into an assembly.
struct file_reader {
    assembly& into;
    std::string path;
    origin base;

    origin at(const toml::node& node) const {
        auto from = base;
        from.text = fmt::format("{} line {}", path, node.source().begin.line);
        return from;
    }
    void read(const toml::table& root);
    void read_section(const std::string& name, const toml::table& section);
    void read_setting(const std::string& key, const toml::node& node);
    void read_tables(const std::string& key, const toml::node& node, table_reader read);
    void read_mounts(const toml::node& node);
};

std::vector<std::string> section_names() {
    std::vector<std::string> names;
    for (const auto& one : settings()) {
        std::string name(one.key.substr(0, one.key.find('.')));
        if (names.empty() || names.back() != name) names.push_back(name);
    }
    return names;
}

// [tools.composio]: a table of settings, and no setting itself.
bool is_section(const std::string& name) {
    const auto& all = settings();
    return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.key.starts_with(name + "."); });
}

std::vector<std::string> known_keys() {
    std::vector<std::string> keys;
    for (const auto& one : settings()) keys.emplace_back(one.key);
    keys.emplace_back("tools.toolkits");
    keys.emplace_back("accounts.services");
    return keys;
}

std::optional<value> to_list(const toml::array& array) {
    strings list;
    for (const auto& item : array) {
        auto text = item.value_exact<std::string>();
        if (!text) return std::nullopt;
        list.push_back(*text);
    }
    return value(std::move(list));
}

std::optional<value> to_counts(const toml::table& table) {
    counts found;
    for (const auto& [name, item] : table) {
        auto number = item.value_exact<integer>();
        if (!number) return std::nullopt;
        found[std::string(name.str())] = *number;
    }
    return value(std::move(found));
}

std::optional<value> to_value(const toml::node& node) {
    if (const auto* flag = node.as_boolean()) return value(flag->get());
    if (const auto* number = node.as_integer()) return value(integer(number->get()));
    if (const auto* number = node.as_floating_point()) return value(number->get());
    if (const auto* text = node.as_string()) return value(text->get());
    if (const auto* array = node.as_array()) return to_list(*array);
    if (const auto* table = node.as_table()) return to_counts(*table);
    return std::nullopt;
}

std::string shown(const toml::node& node) {
    std::ostringstream out;
    node.visit([&](const auto& typed) { out << typed; });
    return out.str();
}

void file_reader::read_setting(const std::string& key, const toml::node& node) {
    const auto* what = find_setting(key);
    if (what == nullptr) return into.refuse_unknown(key, at(node).text, known_keys());
    auto given = to_value(node);
    if (!given) return into.refuse(*what, shown(node), at(node).text);
    into.assign(*what, std::move(*given), at(node));
}

texts to_texts(const toml::table& table, bool& sound) {
    texts found;
    for (const auto& [name, item] : table) {
        auto text = item.value_exact<std::string>();
        sound = sound && text.has_value();
        if (text) found[std::string(name.str())] = *text;
    }
    return found;
}

table_entry to_entry(std::string_view key, const toml::node& node, std::string where) {
    table_entry entry{std::string(key), {}, std::move(where)};
    if (const auto* number = node.as_integer()) entry.given = integer(number->get());
    if (const auto* text = node.as_string()) entry.given = text->get();
    if (const auto* array = node.as_array()) {
        if (auto list = to_list(*array)) entry.given = std::get<strings>(*list);
    }
    if (const auto* table = node.as_table()) {
        bool sound = true;
        auto found = to_texts(*table, sound);
        if (sound) entry.given = std::move(found);
    }
    return entry;
}

void file_reader::read_tables(const std::string& key, const toml::node& node, table_reader read) {
    const auto* all = node.as_table();
    if (all == nullptr) return into.refuse(key, shown(node), at(node).text, "tables: [" + key + ".NAME]");
    for (const auto& [each, item] : *all) {
        std::string name(each.str());
        const auto* table = item.as_table();
        if (table == nullptr) {
            into.refuse(key + "." + name, shown(item), at(item).text, "a table: [" + key + "." + name + "]");
            continue;
        }
        std::vector<table_entry> entries;
        for (const auto& [entry, given] : *table) entries.push_back(to_entry(entry.str(), given, at(given).text));
        read(into, name, entries, at(item).text);
    }
}

void file_reader::read_mounts(const toml::node& node) {
    const auto* all = node.as_table();
    if (all == nullptr) return into.refuse("mounts", shown(node), at(node).text, "tables: [mounts.NAME]");
    for (const auto& [key, item] : *all) {
        std::string name(key.str());
        const auto* table = item.as_table();
        if (table == nullptr) {
            into.refuse("mounts." + name, shown(item), at(item).text, "a table: [mounts." + name + "]");
            continue;
        }
        std::vector<mount_entry> entries;
        for (const auto& [entry, given] : *table) {
            mount_entry made{std::string(entry.str()), {}, shown(given), at(given)};
            if (const auto* flag = given.as_boolean()) made.given = flag->get();
            if (const auto* text = given.as_string()) made.given = text->get();
            entries.push_back(std::move(made));
        }
        read_named_mount(into, name, entries, at(item));
    }
}

void file_reader::read_section(const std::string& name, const toml::table& section) {
    for (const auto& [key, node] : section) {
        std::string full = name + "." + std::string(key.str());
        const auto* inner = node.as_table();
        if (auto* read = find_table_reader(full)) {
            read_tables(full, node, read);
        } else if (inner != nullptr && (name == "sizes" || is_section(full))) {
            read_section(full, *inner);
        } else {
            read_setting(full, node);
        }
    }
}

void file_reader::read(const toml::table& root) {
    auto sections = section_names();
    for (const auto& [key, node] : root) {
        std::string name(key.str());
        if (name == "mounts") {
            read_mounts(node);
            continue;
        }
        bool known = std::find(sections.begin(), sections.end(), name) != sections.end();
        const auto* section = node.as_table();
        if (known && section != nullptr) {
            read_section(name, *section);
        } else if (known) {
            into.refuse(name, shown(node), at(node).text, fmt::format("a table: [{}]", name));
        } else {
            sections.emplace_back("mounts");
            into.refuse_unknown(name, at(node).text, sections);
        }
    }
}

}  // namespace

void read_file(assembly& into, const std::string& path, const std::string& home) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) {
        return into.refuse("config", to_text(path), "--config", "a readable TOML file");
    }
    toml::table root;
    try {
        root = toml::parse_file(path);
    } catch (const toml::parse_error& broken) {  // Debian's toml++ is built to throw
        auto where = broken.source().begin;
        into.problems.push_back(fmt::format("{} line {} column {}: must be TOML: {}", path, where.line, where.column,
                                            broken.description()));
        return;
    }
    file_reader reader{into, path, {"", std::filesystem::path(path).parent_path().string(), home}};
    reader.read(root);
}

}  // namespace gateway::config
