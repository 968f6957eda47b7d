// The kernelspecs through which a stock JupyterLab enters a live session: one for each session of the user, beside the
// installed ones. Pure reads; io thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gateway/api/jupyter/notebook_sessions.hpp"
#include "gateway/sessions/registry.hpp"

namespace gateway::api::jupyter {

inline constexpr std::string_view attach_prefix = "attach-";

std::string attach_name(const sessions::session& to);
// The session id in an attach kernelspec's name; nullopt for any other name.
std::optional<std::string> find_attached_id(const std::string& spec_name);
// Whether `session` can be entered by `user_id` this way.
bool is_attachable(const sessions::session& to, const std::string& user_id);
// The running spec under the attach name, shown as "Attach: NAME". Its resources are those of the running spec. A
// session that nobody named is shown as the notebook that it was started for, or that `notebooks` has it for.
kernels::kernelspec attach_spec(const sessions::session& to, const notebook_sessions& notebooks);

}  // namespace gateway::api::jupyter
