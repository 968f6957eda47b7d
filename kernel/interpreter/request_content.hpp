// What the content of a request may be that xeus dispatches: where a field has a type that it does not expect, xeus
// answers nothing and complains on stderr, which is a cell's. Jupyter messaging specification 5.5.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace kernel {

// What is wrong with it, for the client; empty when nothing is. Takes out fields that are null: they count as absent.
std::string refine_content(std::string_view request_type, nlohmann::json& content);

}  // namespace kernel
