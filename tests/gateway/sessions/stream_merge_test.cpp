#include "gateway/sessions/stream_merge.hpp"

#include <gtest/gtest.h>

#include "tests/gateway/sessions/log_fixture.hpp"

namespace gateway::sessions {
namespace {

shared_entry at(std::uint64_t seq, entry what) {
    what.seq = what.first_seq = seq;
    return std::make_shared<const entry>(std::move(what));
}

entry with_content(std::string content) {
    auto made = stream_entry("");
    auto message = *made.message;
    message.content = std::move(content);
    made.message = std::make_shared<const messaging::message>(std::move(message));
    return made;
}

entry on_stderr(const std::string& text) {
    auto made = stream_entry("");
    made.message = stream_message(text, "stderr");
    return made;
}

TEST(stream_merge, joins_neighbours_and_takes_the_last_ones_place) {
    auto merged = merge_streams({at(4, stream_entry("a\\n")), at(5, stream_entry("b\\n")), at(7, stream_entry("é"))});
    ASSERT_EQ(merged.size(), 1u);
    EXPECT_EQ(merged[0]->seq, 7u);
    EXPECT_EQ(merged[0]->first_seq, 4u);
    EXPECT_EQ(merged[0]->message->content, R"({"name":"stdout","text":"a\nb\né"})");
    EXPECT_EQ(merged[0]->message->header, stream_message("")->header);
}

TEST(stream_merge, keeps_a_message_that_has_no_neighbour_as_it_came) {
    auto alone = at(1, with_content(R"({ "text": "x", "name": "stdout" })"));
    auto merged = merge_streams({alone, at(2, event_entry("cell_finished"))});
    ASSERT_EQ(merged.size(), 2u);
    EXPECT_EQ(merged[0], alone);
}

TEST(stream_merge, joins_over_no_border) {
    auto other_client = stream_entry("x");
    other_client.client = "c";
    auto other_cell = stream_entry("x");
    other_cell.cell_id = "cell_2";
    for (const auto& other : {on_stderr("x"), stream_entry("x", "q"), other_client, other_cell, event_entry("e"),
                              with_content(R"({"name":"stdout","text":"x","more":1})"),
                              with_content(R"({"name":"stdout","text":7})"), with_content("not JSON")}) {
        auto merged = merge_streams({at(1, stream_entry("a")), at(2, other), at(3, stream_entry("b"))});
        EXPECT_EQ(seqs(merged), (std::vector<std::uint64_t>{1, 2, 3})) << other.type;
    }
}

TEST(stream_merge, changes_no_character) {
    auto merged = merge_streams({at(1, with_content(R"({"name":"stdout","text":"\ud83d"})")),
                                 at(2, with_content(R"({"name":"stdout","text":"\ude00\u00e9"})")),
                                 at(3, with_content("{\"name\":\"stdout\",\"text\":\"\xff\"}"))});
    ASSERT_EQ(merged.size(), 1u);
    EXPECT_EQ(merged[0]->message->content, "{\"name\":\"stdout\",\"text\":\"\\ud83d\\ude00\\u00e9\xff\"}");
}

TEST(stream_merge, keeps_buffers_apart) {
    auto with_buffer = stream_entry("x");
    auto message = *with_buffer.message;
    message.buffers = {"b"};
    with_buffer.message = std::make_shared<const messaging::message>(std::move(message));
    EXPECT_EQ(merge_streams({at(1, with_buffer), at(2, with_buffer)}).size(), 2u);
}

TEST(stream_merge, ends_a_merged_message_at_about_a_megabyte) {
    entries parts;
    for (std::uint64_t seq = 1; seq <= 10; ++seq) parts.push_back(at(seq, stream_entry(std::string(300'000, 'x'))));
    auto merged = merge_streams(parts);
    EXPECT_EQ(seqs(merged), (std::vector<std::uint64_t>{3, 6, 9, 10}));
    EXPECT_EQ(merged[3], parts[9]);
}

TEST(stream_merge, takes_one_message_over_a_megabyte_whole) {
    auto merged = merge_streams({at(1, stream_entry(std::string(2'000'000, 'x'))), at(2, stream_entry("y"))});
    EXPECT_EQ(merged.size(), 2u);
}

}  // namespace
}  // namespace gateway::sessions
