#include "gateway/http/forwarded.hpp"

#include <arpa/inet.h>

#include "gateway/http/text.hpp"

namespace gateway::http {
namespace {

bool is_address(const std::string& text) {
    in6_addr room{};
    return inet_pton(AF_INET, text.c_str(), &room) == 1 || inet_pton(AF_INET6, text.c_str(), &room) == 1;
}

std::string last_of(const std::string& list) {
    auto items = split_list(list);
    return items.empty() ? std::string() : std::string(items.back());
}

}  // namespace

void apply_forwarded(request& to) {
    for (const char* name : {"x-forwarded-for", "x-real-ip"})
        if (auto address = last_of(to.header(name)); is_address(address)) to.remote = address;
    auto scheme = last_of(to.header("x-scheme"));
    if (scheme.empty()) scheme = last_of(to.header("x-forwarded-proto"));
    if (equals_ignoring_case(scheme, "https")) to.secure = true;
    if (equals_ignoring_case(scheme, "http")) to.secure = false;
    auto forwarded = to.header("x-forwarded-host");
    auto hosts = split_list(forwarded);
    if (hosts.empty()) return;
    to.headers.erase("host");
    to.headers.emplace("host", hosts.front());
}

}  // namespace gateway::http
