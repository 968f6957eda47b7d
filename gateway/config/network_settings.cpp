// [network]: which sessions have a network of their own, and what may be reached from there.
#include "gateway/config/rules.hpp"
#include "gateway/config/service_settings.hpp"

namespace gateway::config {
namespace {

using namespace rules;

template <auto member>
field network(config& of) {
    return &(of.network.*member);
}

using N = network_section;

constexpr integer many = 1'000'000;
constexpr integer gigabyte = 1 << 30;

bool is_rule(const std::string& text) { return !text.empty() && text.find_first_of(" \t\"'") == text.npos; }

}  // namespace

std::vector<setting> network_settings() {
    return {
        {"network.agents", network<&N::agents>, one_of({"own", "host"}),
         "Network of agents' sessions: own, of which the session's policy says what may be reached, or the machine's"},
        {"network.jupyter", network<&N::jupyter>, one_of({"own", "host"}),
         "The same for kernels that Jupyter clients started"},
        {"network.mode", network<&N::mode>, one_of({"none", "allow", "all"}),
         "What a session may reach that has no policy of its own: nothing, what network.allow names, or every public "
         "address"},
        {"network.allow", network<&N::allow>,
         text("preset:NAME, a host such as api.example.com or *.example.com:8443, or a network such as 203.0.113.0/24",
              is_rule),
         "What may be reached with network.mode = \"allow\"; ports 80 and 443 unless one is named"},
        {"network.max_bytes", network<&N::max_bytes>, number(0, integer(1) << 50),
         "Bytes, in and out, after which such a session reaches nothing more; 0: no ceiling"},
        {"network.allow_networks", network<&N::allow_networks>,
         text("a network such as 10.1.0.0/16, or an address", is_network),
         "Networks that policies may open besides the public ones: those of services in your own network"},
        {"network.max_rules", network<&N::max_rules>, number(1, many), "Entries of a policy"},
        {"network.max_connections", network<&N::max_connections>, number(1, many),
         "Connections of a session to others at once"},
        {"network.max_head_bytes", network<&N::max_head_bytes>, number(1024, gigabyte),
         "Largest head of a request of a session, and of an answer to it"},
        {"network.max_hello_bytes", network<&N::max_hello_bytes>, number(1024, gigabyte),
         "Largest TLS ClientHello of a session"},
        {"network.head_timeout_s", network<&N::head_timeout_s>, positive_seconds(),
         "Seconds that such a head or ClientHello may take to arrive"},
        {"network.connect_timeout_s", network<&N::connect_timeout_s>, positive_seconds(),
         "Seconds for a name to be looked up, and for each of its addresses to be connected to"},
        {"network.idle_timeout_s", network<&N::idle_timeout_s>, positive_seconds(),
         "Seconds after which a connection ends on which nothing passes"},
        {"network.buffer_bytes", network<&N::buffer_bytes>, number(1024, gigabyte),
         "Memory of a connection for what is on its way, in each direction"},
        {"network.max_destinations", network<&N::max_destinations>, number(1, many),
         "Destinations of a session that are counted each by itself"},
    };
}

}  // namespace gateway::config
