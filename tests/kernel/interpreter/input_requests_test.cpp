#include "kernel/interpreter/input_requests.hpp"

#include "messaging/json_members.hpp"
#include "tests/kernel/interpreter/served.hpp"

namespace kernel {
namespace {

messaging::message answer(const std::string& value, std::string parent = "{}") {
    return messaging::make_message(messaging::channel::stdin_channel, "input_reply", "client",
                                   R"({"value":")" + value + "\"}", std::move(parent));
}

class input_requests_test : public served {
  protected:
    messaging::message request_from_client() {
        send("execute_request", "{}");
        return next_request();
    }
    // A question that was answered says so at once; one that was not, after a while.
    static std::string answered(input_requests::question& asked) { return asked.wait().value_or("nothing"); }

    input_requests inputs{*server, "ours"};
};

TEST_F(input_requests_test, ask_the_client_whose_request_is_handled) {
    auto request = request_from_client();
    input_requests::question asked(inputs, request, request.header, "name? ", true);
    auto shown = find("input_request");
    EXPECT_EQ(shown.where, messaging::channel::stdin_channel);
    EXPECT_EQ(shown.parent_header, sent.header);
    messaging::json_members content(shown.content);
    EXPECT_EQ(content.text("prompt"), "name? ");
    EXPECT_TRUE(content.is_true("password"));
    inputs.deliver(answer("bob"));
    EXPECT_EQ(answered(asked), "bob");
}

TEST_F(input_requests_test, give_an_answer_to_the_question_it_names) {
    auto one = request_from_client();
    auto other = request_from_client();
    input_requests::question first(inputs, one, one.header, "", false);
    input_requests::question second(inputs, other, other.header, "", false);
    inputs.deliver(answer("for the second", other.header));
    inputs.deliver(answer("for the first", one.header));
    EXPECT_EQ(answered(first), "for the first");
    EXPECT_EQ(answered(second), "for the second");
}

TEST_F(input_requests_test, do_not_take_the_answer_to_a_question_that_was_given_up) {
    auto old = request_from_client();
    { input_requests::question given_up(inputs, old, old.header, "", false); }
    auto request = request_from_client();
    input_requests::question asked(inputs, request, request.header, "", false);
    inputs.deliver(answer("late", old.header));
    inputs.deliver(answer("mine", request.header));
    EXPECT_EQ(answered(asked), "mine");
}

TEST_F(input_requests_test, return_without_an_answer_when_they_are_woken) {
    auto request = request_from_client();
    input_requests::question asked(inputs, request, request.header, "", false);
    inputs.wake();
    EXPECT_FALSE(asked.wait());
    inputs.deliver(answer("then"));
    EXPECT_EQ(answered(asked), "then");
}

}  // namespace
}  // namespace kernel
