#include "gateway/packages/requirement.hpp"

#include <algorithm>

namespace gateway::packages {
namespace {

constexpr std::size_t longest = 500;

bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
bool is_of_name(char c) { return is_alphanumeric(c) || c == '.' || c == '-' || c == '_'; }

// Of versions, extras and conditions: no "/", "\", "@" or ":", by which another place could be named.
bool is_of_rest(char c) {
    return is_of_name(c) || std::string_view(" ,<>=!~*+()[];'\"").find(c) != std::string_view::npos;
}

failure refuse(std::string_view requirement, const std::string& why) {
    std::string shown(requirement.substr(0, 80));
    std::replace_if(
        shown.begin(), shown.end(), [](char c) { return c < 0x20 || c > 0x7e; }, '?');
    return {errc::invalid_request, "\"" + shown + "\" " + why};
}

// pip would take it for a file.
bool is_archive(std::string_view name) {
    for (auto ending : {".whl", ".zip", ".gz", ".bz2", ".xz", ".tar", ".tgz", ".tbz", ".txz", ".tlz", ".lz", ".lzma"})
        if (name.ends_with(ending)) return true;
    return false;
}

}  // namespace

std::string normalized(std::string_view name) {
    std::string made;
    for (char c : name) {
        if (c == '-' || c == '_' || c == '.') {
            if (!made.ends_with('-')) made += '-';
        } else {
            made += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        }
    }
    return made;
}

result<std::string> name_in(std::string_view requirement) {
    if (requirement.size() > longest) return refuse(requirement, "is too long");
    auto end = std::find_if_not(requirement.begin(), requirement.end(), is_of_name);
    std::string_view name = requirement.substr(0, static_cast<std::size_t>(end - requirement.begin()));
    if (name.empty() || !is_alphanumeric(name.front()) || !is_alphanumeric(name.back()))
        return refuse(requirement, "does not begin with the name of a distribution, such as humanize==4.9");
    // A line of requirements may have options behind the name.
    if (!std::all_of(end, requirement.end(), is_of_rest) || requirement.find(" -") != requirement.npos)
        return refuse(requirement,
                      "is not a name with versions, such as humanize==4.9: addresses and files are not "
                      "installed from");
    if (is_archive(name)) return refuse(requirement, "names a file: give the name of a distribution");
    return normalized(name);
}

}  // namespace gateway::packages
