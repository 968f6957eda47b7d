#include "gateway/api/agent/execute_request.hpp"

#include "gateway/api/agent/fields.hpp"
#include "gateway/api/agent/step_limits.hpp"

namespace gateway::api::agent {
namespace {

constexpr std::size_t most_key_bytes = 255;

}  // namespace

result<sessions::execute_options> parse_execute(request_object& object, execute_form form) {
    fields from(object);
    sessions::execute_options made;
    made.code = from.code();
    made.timeout = from.seconds("timeout_s");
    made.store_history = from.flag("store_history", true);
    made.silent = from.flag("silent", false);
    made.settings = from.settings();
    auto key = from.text("idempotency_key", most_key_bytes);
    if (key && key->empty()) from.refuse("idempotency_key must not be empty");
    made.idempotency_key = key.value_or("");
    if (form == execute_form::socket) {
        made.allow_stdin = from.flag("allow_stdin", true);
    } else {
        made.allow_stdin = false;
        made.current_step = from.text("current_step", most_step_bytes).value_or("");
        made.current_step_metric = from.raw("current_step_metric", most_metric_bytes);
    }
    if (auto good = from.finish(); !good) return good.error();
    return made;
}

}  // namespace gateway::api::agent
