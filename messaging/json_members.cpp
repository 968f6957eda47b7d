#include "messaging/json_members.hpp"

#include <algorithm>
#include <charconv>

#include "messaging/json_string.hpp"

namespace messaging {

json_members::json_members(std::string_view object) {
    members_.reserve(8);
    member_scanner scanner(object);
    json_member each;
    while (scanner.next(each)) members_.push_back(each);
    if (!scanner.valid()) members_.clear();
}

const json_member* json_members::find(std::string_view name) const {
    std::string storage;
    auto found = std::find_if(members_.rbegin(), members_.rend(),
                              [&](const json_member& each) { return key_of(each, storage) == name; });
    return found == members_.rend() ? nullptr : &*found;
}

bool json_members::contains(std::string_view name) const { return find(name) != nullptr; }

std::string_view json_members::value(std::string_view name) const {
    auto found = find(name);
    return found ? found->value : std::string_view();
}

std::string json_members::text(std::string_view name) const {
    auto found = value(name);
    return is_string(found) ? unquote(found) : std::string();
}

bool json_members::is_text(std::string_view name) const { return is_string(value(name)); }

bool json_members::is_true(std::string_view name) const { return value(name) == "true"; }

std::optional<int> json_members::integer(std::string_view name) const {
    auto digits = value(name);
    int number = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return number;
}

}  // namespace messaging
