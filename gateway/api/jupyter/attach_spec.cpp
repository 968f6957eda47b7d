#include "gateway/api/jupyter/attach_spec.hpp"

namespace gateway::api::jupyter {

std::string attach_name(const sessions::session& to) { return std::string(attach_prefix) + to.id(); }

std::optional<std::string> find_attached_id(const std::string& spec_name) {
    if (spec_name.rfind(attach_prefix, 0) != 0) return std::nullopt;
    return spec_name.substr(attach_prefix.size());
}

bool is_attachable(const sessions::session& to, const std::string& user_id) {
    return to.options().user_id == user_id && to.state() != sessions::session_state::dead;
}

kernels::kernelspec attach_spec(const sessions::session& to) {
    kernels::kernelspec spec = to.spec();
    spec.name = attach_name(to);
    spec.display_name = "Attach: " + to.name();
    return spec;
}

}  // namespace gateway::api::jupyter
