// Which distributions may be asked for. What these need comes along. A value; any thread.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::packages {

inline constexpr const char* everything = "*";
inline constexpr const char* well_known = "known";

class allow_list {
  public:
    // Names of distributions, "known" for those of `known_table`, "*" for every one. The table is the kernel package's
    // (cellgate_kernel/packages/known.txt): a distribution's name begins each line that is no comment.
    allow_list(const std::vector<std::string>& configured, std::string_view known_table);

    bool allows(const std::string& normalized_name) const { return all_ || names_.contains(normalized_name); }

  private:
    bool all_ = false;
    std::set<std::string> names_;
};

}  // namespace gateway::packages
