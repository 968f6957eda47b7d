#include "gateway/api/jupyter/attach_spec.hpp"

namespace gateway::api::jupyter {
namespace {

// A launcher shows the beginning of a long name: the notebook's own comes first.
std::string name_then_directory(const std::string& path) {
    auto slash = path.rfind('/');
    if (slash == std::string::npos) return path;
    return path.substr(slash + 1) + (slash == 0 ? "" : " in " + path.substr(0, slash));
}

// A console's path is made up, and its name is not.
std::string title_of(const notebook_session& row) {
    return row.type == "console" && !row.name.empty() ? row.name : name_then_directory(row.path);
}

std::string shown_name(const sessions::session& of, const notebook_sessions& notebooks) {
    if (of.name() != of.id()) return of.name();
    const auto* row = notebooks.find_kernel(of.options().user_id, of.kernel_id());
    auto title = row ? title_of(*row) : std::string();
    const auto& env = of.options().env;
    auto path = env.find(notebook_path_variable);
    if (title.empty() && path != env.end()) title = name_then_directory(path->second);
    return title.empty() ? of.name() : title;
}

}  // namespace

std::string attach_name(const sessions::session& to) { return std::string(attach_prefix) + to.id(); }

std::optional<std::string> find_attached_id(const std::string& spec_name) {
    if (spec_name.rfind(attach_prefix, 0) != 0) return std::nullopt;
    return spec_name.substr(attach_prefix.size());
}

bool is_attachable(const sessions::session& to, const std::string& user_id) {
    return to.options().user_id == user_id && to.has_sandbox() && to.state() != sessions::session_state::dead;
}

kernels::kernelspec attach_spec(const sessions::session& to, const notebook_sessions& notebooks) {
    kernels::kernelspec spec = to.spec();
    spec.name = attach_name(to);
    spec.display_name = "Attach: " + shown_name(to, notebooks);
    return spec;
}

}  // namespace gateway::api::jupyter
