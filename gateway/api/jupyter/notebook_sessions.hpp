// Jupyter's sessions: which notebook path uses which kernel. Not our sessions: a row here owns nothing.
// Owned by the context; io thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gateway/base/result.hpp"

namespace gateway::api::jupyter {

// In a kernel's environment, the path of its notebook, by jupyter_server's convention.
inline constexpr const char* notebook_path_variable = "JPY_SESSION_NAME";

struct notebook_session {
    std::string id;  // a UUID
    std::string user_id;
    std::string path;
    std::string name;
    std::string type;  // "notebook", "console", "file"
    std::string kernel_id;
};

class notebook_sessions {
  public:
    // Gives the row an id.
    const notebook_session& add(notebook_session row);
    const notebook_session* find(const std::string& id) const;  // null when unknown
    // The row of this user for this path and type; null when there is none.
    const notebook_session* find_path(const std::string& user_id, const std::string& path,
                                      const std::string& type) const;
    // A row of this user for this kernel, a notebook's before a console's; null when there is none.
    const notebook_session* find_kernel(const std::string& user_id, const std::string& kernel_id) const;
    std::vector<notebook_session> list() const;
    // Replaces the row of the same id.
    void update(const notebook_session& row);
    void remove(const std::string& id);

  private:
    std::map<std::string, notebook_session> rows_;
};

}  // namespace gateway::api::jupyter
