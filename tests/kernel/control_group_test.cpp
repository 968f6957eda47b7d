// Groups for boxes: what is written where, and that nothing stays. Against a file system in memory; limits_test.cpp has
// what the machine does with version 1.
#include <gmock/gmock.h>

#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/control_groups.hpp"
#include "tests/kernel/fake_control_files.hpp"

namespace kernel {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class a_control_group : public testing::Test {
  protected:
    a_control_group() {
        files.describe_process("41 31 0:38 / /cg rw - cgroup2 cgroup2 rw\n", "0::/own\n");
        files.add_second("/cg", "cpu memory pids", true);
        files.add_second("/cg/own", "cpu memory pids");
        files.put("/cg/own/cgroup.procs", "100\n");
    }
    void use_first() {
        files.describe_process(
            "1 2 0:1 / /v1/cpu rw - cgroup cgroup rw,cpu\n1 2 0:1 / /v1/memory rw - cgroup cgroup "
            "rw,memory\n1 2 0:1 / /v1/pids rw - cgroup cgroup rw,pids\n",
            "3:cpu:/\n2:memory:/\n1:pids:/\n");
        for (const char* each : {"/v1/cpu", "/v1/memory", "/v1/pids"}) files.add_first(each);
    }
    // The only directory below `base` that is a launcher's.
    std::string launchers(const std::string& base = "/cg/own") const {
        std::string found;
        for (const std::string& each : files.children(base))
            if (each != emptied_into) found = base + "/" + each;
        return found;
    }
    std::string box(const std::string& file) const { return files.text_of(launchers() + "/1/" + file); }

    fake_control_files files;
};

TEST_F(a_control_group, of_version_2_has_its_limits_as_numbers) {
    control_groups all(files);
    control_group group = all.make();
    group.set({500, 64 << 20, 32});
    EXPECT_EQ(box("cpu.max"), "50000 100000");
    EXPECT_EQ(box("memory.max"), "67108864");
    EXPECT_EQ(box("memory.swap.max"), "0");
    EXPECT_EQ(box("pids.max"), "32");
}

TEST_F(a_control_group, has_no_limit_where_it_is_zero) {
    control_groups all(files);
    control_group group = all.make();
    group.set({8'000, 1 << 30, 1'024});
    group.set({});
    EXPECT_EQ(box("cpu.max"), "max 100000");
    EXPECT_EQ(box("memory.max"), "max");
    EXPECT_EQ(box("memory.swap.max"), "max");
    EXPECT_EQ(box("pids.max"), "max");
}

TEST_F(a_control_group, of_version_1_has_a_directory_and_numbers_for_each_controller) {
    use_first();
    control_groups all(files);
    control_group group = all.make();
    group.set({500, 64 << 20, 32});
    EXPECT_EQ(files.text_of(launchers("/v1/cpu") + "/1/cpu.cfs_quota_us"), "50000");
    EXPECT_EQ(files.text_of(launchers("/v1/memory") + "/1/memory.limit_in_bytes"), "67108864");
    EXPECT_EQ(files.text_of(launchers("/v1/memory") + "/1/memory.memsw.limit_in_bytes"), "67108864");
    EXPECT_EQ(files.text_of(launchers("/v1/pids") + "/1/pids.max"), "32");
    group.set({});
    EXPECT_EQ(files.text_of(launchers("/v1/cpu") + "/1/cpu.cfs_quota_us"), "-1");
    EXPECT_EQ(files.text_of(launchers("/v1/memory") + "/1/memory.limit_in_bytes"), "-1");
}

TEST_F(a_control_group, takes_in_who_enters_it_unless_it_was_born_there) {
    control_groups all(files);
    control_group group = all.make();
    group.enter(true);
    EXPECT_EQ(box("cgroup.procs"), "");
    group.enter();
    EXPECT_EQ(box("cgroup.procs"), "100\n");
    EXPECT_EQ(group.entrances().size(), 1u);
}

TEST_F(a_control_group, counts_what_was_killed_for_memory) {
    control_groups all(files);
    control_group group = all.make();
    EXPECT_EQ(group.memory_kills(), 0);
    files.put(launchers() + "/1/memory.events", "low 0\noom 9\noom_kill 3\noom_group_kill 5\n");
    EXPECT_EQ(group.memory_kills(), 3);
}

TEST_F(a_control_group, that_cannot_have_its_limit_says_which_file_refused) {
    control_groups all(files);
    control_group group = all.make();
    files.forbid(launchers() + "/1/memory.max");
    try {
        group.set({0, 1 << 30, 0});
        FAIL();
    } catch (const box_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("/1/memory.max: Permission denied"));
    }
}

TEST_F(a_control_group, goes_with_its_box_and_one_that_is_not_empty_yet_goes_later) {
    control_groups all(files);
    {
        control_group done = all.make();
        control_group ending = all.make();
        files.put(launchers() + "/2/cgroup.procs", "7\n");
    }
    EXPECT_TRUE(all.sweep());
    EXPECT_FALSE(files.is_there(launchers() + "/1"));
    EXPECT_TRUE(files.is_there(launchers() + "/2"));
    files.put(launchers() + "/2/cgroup.procs", "");
    EXPECT_FALSE(all.sweep());
    EXPECT_EQ(files.children(launchers()).size(), 0u);
}

TEST_F(a_control_group, leaves_nothing_when_its_launcher_ends) {
    {
        control_groups all(files);
        control_group group = all.make();
    }
    EXPECT_EQ(files.children("/cg/own"), std::vector<std::string>{emptied_into});
}

TEST_F(a_control_group, of_a_launcher_that_was_killed_is_removed_by_the_next_once_it_is_empty) {
    auto killed = std::make_unique<control_groups>(files);
    control_group group = killed->make();
    const std::string left = launchers();
    files.put(left + "/1/cgroup.procs", "7\n");
    files.unlock_all();
    control_groups next(files);
    EXPECT_TRUE(files.is_there(left + "/1"));
    EXPECT_TRUE(next.sweep());
    files.put(left + "/1/cgroup.procs", "");
    EXPECT_FALSE(next.sweep());
    EXPECT_FALSE(files.is_there(left));
}

TEST_F(a_control_group, of_a_launcher_that_lives_is_left_alone_by_others) {
    control_groups first(files);
    control_group group = first.make();
    const std::string own = launchers();
    { control_groups second(files); }
    EXPECT_TRUE(files.is_there(own + "/1"));
}

TEST_F(a_control_group, is_not_there_where_the_machine_has_no_controllers) {
    files.describe_process("", "");
    control_groups all(files);
    control_group group = all.make();
    group.set({500, 64 << 20, 32});
    group.enter();
    EXPECT_EQ(group.memory_kills(), 0);
    EXPECT_TRUE(group.entrances().empty());
    const limits_notice offered = all.offered();
    EXPECT_FALSE(offered.cpu || offered.memory || offered.pids);
    EXPECT_THAT(offered.reason, StartsWith("cpu: no control group file system is mounted; memory: "));
}

TEST_F(a_control_group, is_offered_with_what_is_missing) {
    files.put("/cg/own/cgroup.controllers", "memory pids\n");
    control_groups all(files);
    EXPECT_EQ(all.offered(), (limits_notice{false, true, true, "cpu: /cg/own has no cpu controller"}));
}

}  // namespace
}  // namespace kernel
