#include "kernel/interpreter/request_content.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kernel {
namespace {

using nlohmann::json;

std::string wrong(std::string_view type, const char* text) {
    auto content = json::parse(text);
    return refine_content(type, content);
}

TEST(request_content_test, takes_what_the_specification_says) {
    EXPECT_EQ(wrong("execute_request", R"({"code":"1","silent":false,"store_history":true,"user_expressions":{"a":"b"},
                                           "allow_stdin":true,"stop_on_error":false})"),
              "");
    EXPECT_EQ(wrong("complete_request", R"({"code":"abc","cursor_pos":2})"), "");
    EXPECT_EQ(wrong("history_request", R"({"hist_access_type":"range","session":-1,"start":0,"stop":5})"), "");
    EXPECT_EQ(wrong("kernel_info_request", "{}"), "");
}

TEST(request_content_test, takes_fields_that_it_does_not_know) {
    EXPECT_EQ(wrong("complete_request", R"({"code":"","of_tomorrow":[1]})"), "");
    EXPECT_EQ(wrong("kernel_info_request", R"({"code":1})"), "");
}

TEST(request_content_test, names_the_field_and_what_it_must_be) {
    EXPECT_EQ(wrong("execute_request", R"({"code":["1"]})"), R"("code" of execute_request must be a string)");
    EXPECT_EQ(wrong("execute_request", R"({"silent":1})"), R"("silent" of execute_request must be true or false)");
    EXPECT_EQ(wrong("execute_request", R"({"user_expressions":[]})"),
              R"("user_expressions" of execute_request must be an object)");
    for (auto number : {"1.5", "\"1\"", "true", "2147483648", "-2147483649", "18446744073709551615", "1e300"})
        EXPECT_EQ(wrong("complete_request", (std::string(R"({"cursor_pos":)") + number + "}").c_str()),
                  R"("cursor_pos" of complete_request must be a whole number of at most 32 bits)");
    for (auto number : {"2147483647", "-2147483648", "0"})
        EXPECT_EQ(wrong("complete_request", (std::string(R"({"cursor_pos":)") + number + "}").c_str()), "");
}

TEST(request_content_test, takes_no_content_but_an_object) {
    for (auto odd : {"[]", "null", "1", "\"{}\""})
        EXPECT_EQ(wrong("inspect_request", odd), "the content of inspect_request must be a JSON object");
}

TEST(request_content_test, takes_nulls_out) {
    auto content = json::parse(R"({"code":"x","cursor_pos":null,"other":null})");
    EXPECT_EQ(refine_content("complete_request", content), "");
    EXPECT_EQ(content, json::parse(R"({"code":"x","other":null})"));
}

}  // namespace
}  // namespace kernel
