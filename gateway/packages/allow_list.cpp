#include "gateway/packages/allow_list.hpp"

#include <sstream>

#include "gateway/packages/requirement.hpp"

namespace gateway::packages {

allow_list::allow_list(const std::vector<std::string>& configured, std::string_view known_table) {
    for (const auto& each : configured) {
        if (each == everything) {
            all_ = true;
        } else if (each == well_known) {
            std::istringstream lines{std::string(known_table)};
            for (std::string line; std::getline(lines, line);)
                if (std::string name; std::istringstream(line) >> name && name.front() != '#')
                    names_.insert(normalized(name));
        } else {
            names_.insert(normalized(each));
        }
    }
}

}  // namespace gateway::packages
