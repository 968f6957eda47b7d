#include "kernel/interpreter/replies.hpp"

#include "kernel/server/kernel_server.hpp"
#include "messaging/json_string.hpp"

namespace kernel {

std::string reply_type(std::string_view request_type) {
    constexpr std::string_view ending = "_request";
    if (request_type.ends_with(ending)) request_type.remove_suffix(ending.size());
    return std::string(request_type) + "_reply";
}

messaging::message make_reply(const messaging::message& request, std::string_view type, std::string_view session,
                              std::string content) {
    messaging::message made;
    made.where = request.where;
    made.identities = request.identities;
    made.header = messaging::make_header(type, session, {}, "cellgate", protocol_version);
    made.parent_header = request.header;
    made.content = std::move(content);
    return made;
}

messaging::message make_publication(std::string_view parent_header, std::string_view type, std::string_view session,
                                    std::string content) {
    messaging::message made;
    made.where = messaging::channel::iopub;
    made.identities.push_back("kernel." + std::string(session) + "." + std::string(type));
    made.header = messaging::make_header(type, session, {}, "cellgate", protocol_version);
    made.parent_header = parent_header;
    made.content = std::move(content);
    return made;
}

messaging::message make_status(const messaging::message& request, std::string_view session, std::string_view state) {
    return make_publication(request.header, "status", session, "{\"execution_state\":" + messaging::quote(state) + "}");
}

std::string error_content(std::string_view name, std::string_view value) {
    return "{\"status\":\"error\",\"ename\":" + messaging::quote(name) + ",\"evalue\":" + messaging::quote(value) +
           ",\"traceback\":[]}";
}

std::string aborted_content() { return R"({"status":"aborted"})"; }

}  // namespace kernel
