#include "tests/gateway/kernels/kernel_fixture.hpp"

#include <algorithm>
#include <cstdlib>

#include "gateway/base/ids.hpp"
#include "gateway/base/log.hpp"
#include "messaging/json_string.hpp"

namespace gateway::kernels {

void recording_listener::on_message(messaging::shared_message what) {
    auto header = messaging::parse_header(what->header);
    events.push_back(header ? header->msg_type : "unreadable");
    messages.push_back(std::move(what));
    if (then) then(std::string(events.back()));
}

void recording_listener::on_state(kernel_state state, end_reason reason) {
    std::string text = to_string(state);
    if (reason != end_reason::none) text += std::string(" ") + to_string(reason);
    events.push_back(text);
    if (then) then(text);
}

std::size_t recording_listener::count(const std::string& what) const {
    return static_cast<std::size_t>(std::count(events.begin(), events.end(), what));
}

kernel_fixture::kernel_fixture() {
    if (std::getenv("CELLGATE_TEST_DEBUG")) log::set_level("debug");
}

kernel_fixture::~kernel_fixture() {
    kernels.clear();
    settle();
}

kernel_options kernel_fixture::options(const std::string& language) {
    kernel_options made;
    made.id = make_uuid();
    made.spec.name = "fake";
    made.spec.directory = root.path();
    made.spec.language = language;
    made.spec.argv = {"/bin/true", "{connection_file}"};
    made.helper_key = "the-helper-key";
    return made;
}

kernel& kernel_fixture::make(kernel_options what) {
    return *kernels.emplace_back(std::make_unique<kernel>(shared, std::move(what), listener));
}

kernel& kernel_fixture::start(kernel_options what) {
    auto& made = make(std::move(what));
    auto started = run(made.start());
    EXPECT_TRUE(started) << (started ? "" : started.error().message);
    return made;
}

void kernel_fixture::run(awaitable<void> what) {
    bool done = false;
    asio::co_spawn(io, std::move(what), [&](std::exception_ptr error) {
        EXPECT_FALSE(error);
        done = true;
    });
    EXPECT_TRUE(until([&] { return done; }));
}

std::string kernel_fixture::execute(kernel& target, const std::string& code) {
    auto content = R"({"silent":false,"code":)" + messaging::quote(code) + "}";
    auto message = messaging::make_message(messaging::channel::shell, "execute_request", "a-client", content);
    auto sent = target.send(message);
    EXPECT_TRUE(sent) << (sent ? "" : sent.error().message);
    return messaging::parse_header(message.header).value().msg_id;
}

}  // namespace gateway::kernels
