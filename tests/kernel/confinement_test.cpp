// What nothing in a box may do, whoever started it: init, a kernel that was executed or forked, a program beside it.
#include <gmock/gmock.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <functional>

#include "kernel/sandbox/file_wall.hpp"
#include "tests/kernel/with_guest.hpp"

namespace kernel {
namespace {

using testing::HasSubstr;

class in_a_box : public with_guest {
  protected:
    // What the script prints in each of the places.
    void everywhere(const std::string& text, const std::function<void(const std::string&)>& check) {
        {
            SCOPED_TRACE("an executed kernel");
            check(output_of(text));
        }
        {
            SCOPED_TRACE("a forked kernel");
            check(output_of(forked_script(text)));
        }
        SCOPED_TRACE("a program beside a kernel");
        const std::string box = start_host();
        check(output_of_guest(box, text));
        end_host(box);
    }
    void expect_everywhere(const std::string& text, const std::string& output) {
        everywhere(text, [&](const std::string& printed) { EXPECT_EQ(printed, output); });
    }
    // A Python expression, with libc and the answer of a system call by its number.
    static std::string python(const std::string& text) {
        return "exec /usr/bin/python3 -c 'import ctypes, errno, os, socket\n"
               "libc = ctypes.CDLL(None, use_errno=True)\n"
               "def call(number, *a): return errno.errorcode[ctypes.get_errno()] if libc.syscall(number, *a) < 0 else "
               "\"done\"\n"
               "def name(what):\n"
               "    try: return what() and None\n"
               "    except OSError as error: return errno.errorcode[error.errno]\n" +
               text + "'";
    }
};
INSTANTIATE_TEST_SUITE_P(by, in_a_box, testing::ValuesIn(possible_users()), name_of);

TEST_P(in_a_box, nobody_has_rights) {
    std::string none;
    for (const char* each : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"})
        none += std::string(each) + ":\t0000000000000000\n";
    for (const char* each : {"self", "1"})
        expect_everywhere(std::string("grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/") + each + "/status",
                          none + "NoNewPrivs:\t1\nSeccomp:\t2\n");
}

TEST_P(in_a_box, the_user_is_nobody_outside) {
    write("home/a", "x");
    everywhere("cat /proc/self/uid_map; touch /mnt/files/made; stat -c %U /mnt/files/made /home/user/a",
               [](const std::string& printed) {
                   EXPECT_THAT(printed, testing::MatchesRegex(" +1000 +[0-9]+ +1\nuser\nuser\n"));
               });
    struct stat made {};
    ASSERT_EQ(stat(path("files/made").c_str(), &made), 0);
    struct stat directory {};
    ASSERT_EQ(stat(path("files").c_str(), &directory), 0);
    EXPECT_EQ(made.st_uid, directory.st_uid);  // as the gateway's own
    EXPECT_EQ(made.st_gid, directory.st_gid);
}

TEST_P(in_a_box, two_of_roots_have_different_users) {
    const std::string one = output_of("cat /proc/self/uid_map");
    const std::string box = start_host();
    const bool differ = output_of_guest(box, "cat /proc/self/uid_map") != output_of("cat /proc/self/uid_map");
    EXPECT_EQ(differ, GetParam() == who::root);
    end_host(box);
    EXPECT_EQ(output_of("cat /proc/self/uid_map"), one) << "the id is free again";
}

TEST_P(in_a_box, what_belongs_to_the_host_stays_closed) {
    if (GetParam() == who::ordinary) return;  // everything that its own user may read
    expect_everywhere("cat /etc/shadow 2>&1; cat /proc/1/environ 2>&1; ls /proc/1/fd 2>&1 | head -1; echo",
                      "cat: /etc/shadow: Permission denied\ncat: /proc/1/environ: Permission denied\n"
                      "ls: cannot open directory '/proc/1/fd': Permission denied\n\n");
}

TEST_P(in_a_box, nobody_makes_namespaces_mounts_or_roots) {
    expect_everywhere(
        python("print([call(272, flag) for flag in (0x20000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000, "
               "0x2000000, 0x80)])\n"
               "print(call(56, 0x10000011, 0, 0, 0, 0), call(435, 0, 0), call(272, 0x400))\n"
               "print([call(number, 0, 0, 0, 0, 0) for number in (161, 165, 166, 155, 308, 428, 429, 430, 442)])"),
        "['EPERM', 'EPERM', 'EPERM', 'EPERM', 'EPERM', 'EPERM', 'EPERM', 'EPERM']\nEPERM ENOSYS done\n"
        "['EPERM', 'EPERM', 'EPERM', 'EPERM', 'EPERM', 'EPERM', 'EPERM', 'EPERM', 'EPERM']\n");
}

TEST_P(in_a_box, nobody_uses_what_has_had_holes) {
    expect_everywhere(
        python("calls = dict(ptrace=101, syslog=103, personality=135, init_module=175, quotactl=179, add_key=248, "
               "request_key=249, keyctl=250, perf_event_open=298, fanotify_init=300, name_to_handle_at=303, "
               "open_by_handle_at=304, process_vm_readv=310, kcmp=312, finit_module=313, bpf=321, userfaultfd=323, "
               "pidfd_getfd=438, reboot=169, kexec_load=246, acct=163, swapon=167, settimeofday=164, iopl=172, "
               "modify_ldt=154)\n"
               "print({name: answer for name in calls if (answer := call(calls[name], 0x0040000, 0, 0, 0, 0)) != "
               "\"EPERM\"})\n"
               "print([call(number, 1, 0, 0, 0, 0) for number in (425, 426, 427, 437, 999)])\n"
               "print(call(0x40000000 + 39), call(135, 0), call(157, 35, 0, 0, 0, 0))"),
        "{}\n['ENOSYS', 'ENOSYS', 'ENOSYS', 'ENOSYS', 'ENOSYS']\nENOSYS done EPERM\n");
}

TEST_P(in_a_box, sockets_are_streams_and_datagrams) {
    expect_everywhere(
        python("def made(*a): return name(lambda: socket.socket(*a).close())\n"
               "print([made(f, t) for f in (1, 2, 10) for t in (1, 2)], made(16, 3, 0), made(16, 2, 0))\n"
               "print([made(f, 3) for f in (2, 10)], made(16, 3, 15), [made(f, 2) for f in (15, 17, 31, 38, 40, 44)])\n"
               "print(len(socket.if_nameindex()) > 0)"),
        "[None, None, None, None, None, None] None None\n['EPERM', 'EPERM'] EPERM ['EAFNOSUPPORT', 'EAFNOSUPPORT', "
        "'EAFNOSUPPORT', 'EAFNOSUPPORT', 'EAFNOSUPPORT', 'EAFNOSUPPORT']\nTrue\n");
}

TEST_P(in_a_box, pairs_of_sockets_are_of_unix) {
    expect_everywhere(python("pair = (ctypes.c_int * 2)()\n"
                             "print([call(53, family, 2, 0, pair) for family in (1, 2, 16, 30, 40)])"),
                      "['done', 'EAFNOSUPPORT', 'EAFNOSUPPORT', 'EAFNOSUPPORT', 'EAFNOSUPPORT']\n");
}

TEST_P(in_a_box, what_another_user_of_the_host_owns_is_mounted_too) {
    if (GetParam() == who::ordinary) return;  // who can give nothing away
    make_directory("theirs");
    write("theirs/a", "x");
    for (const char* each : {"theirs", "theirs/a"}) ASSERT_EQ(chown(path(each).c_str(), 1234, 4321), 0);
    ASSERT_EQ(chmod(path("theirs/a").c_str(), 0600), 0);
    launch_request what = script("cat /data/a; echo y > /data/b; stat -c %U /data/a");
    what.mounts.push_back({path("theirs"), "/data", true});
    EXPECT_EQ(output_of(what), "xuser\n");
    struct stat made {};
    ASSERT_EQ(stat(path("theirs/b").c_str(), &made), 0);
    EXPECT_EQ(made.st_uid, 1234u);
    EXPECT_EQ(made.st_gid, 4321u);
}

TEST_P(in_a_box, nobody_leaves_a_program_that_gives_rights_to_others) {
    const std::string output = python(
        "d = \"/mnt/files/\"; f = d + \"f\"; open(f, \"w\").close(); os.makedirs(d + \"dir\", exist_ok=True)\n"
        "print([name(lambda: os.chmod(f, mode)) for mode in (0o4755, 0o2755, 0o6777, 0o1777, 0o755)])\n"
        "print(name(lambda: os.chmod(d + \"dir\", 0o2777)), name(lambda: os.mknod(d + \"n\", 0o104755)))\n"
        "fd = os.open(f, os.O_RDWR); print(name(lambda: os.fchmod(fd, 0o4755)), name(lambda: os.fchmod(fd, 0o700)))\n"
        "def opened(flags, mode): return name(lambda: os.close(os.open(d + \"g\", flags, mode)))\n"
        "print(opened(os.O_CREAT | os.O_RDWR, 0o4755), opened(os.O_CREAT | os.O_RDWR, 0o755), opened(os.O_RDONLY, "
        "0o4755))\n"
        "print(name(lambda: os.close(os.open(d, os.O_TMPFILE | os.O_RDWR, 0o6755))), name(lambda: "
        "os.close(os.open(d, os.O_TMPFILE | os.O_RDWR, 0o755))))\n"
        "print(call(85, (d + \"h\").encode(), 0o4755), call(437, -100, 0, 0, 0), name(lambda: os.mknod(d + \"dev\", "
        "0o20666, 0)))\n"
        "os.mkfifo(d + \"fifo\"); os.unlink(d + \"fifo\"); os.unlink(d + \"g\")");
    expect_everywhere(output,
                      "['EPERM', 'EPERM', 'EPERM', None, None]\nEPERM EPERM\nEPERM None\nEPERM None None\nEPERM None\n"
                      "EPERM ENOSYS EPERM\n");
}

TEST_P(in_a_box, the_machines_own_files_are_closed) {
    expect_everywhere(
        "for f in keys kcore timer_list kallsyms sysrq-trigger; do [ ! -e /proc/$f ] || cat /proc/$f; done; "
        "for f in acpi scsi fs irq; do [ ! -e /proc/$f ] || ls /proc/$f; done; "
        "for f in /proc/sys/kernel/core_pattern /proc/sys/vm/overcommit_memory /sys/kernel/mm/ksm/run; do "
        "(echo 1 > $f) 2>/dev/null && echo wrote $f; done; dmesg 2>/dev/null; ls /dev | tr '\\n' ' '",
        "fd full null ptmx pts random shm stderr stdin stdout tty urandom zero ");
}

TEST_P(in_a_box, nobody_reaches_into_init_or_a_program_beside) {
    const bool open = GetParam() == who::ordinary && find_landlock().version == 0;  // they are one user's
    expect_everywhere(python("print([name(lambda: os.close(os.open(\"/proc/1/\" + file, os.O_RDONLY))) for file in "
                             "(\"mem\", \"environ\")])"),
                      open ? "[None, None]\n" : "['EACCES', 'EACCES']\n");
    const std::string box = start_host();
    EXPECT_EQ(output_of_guest(box, python("print(name(lambda: os.close(os.open(\"/proc/2/mem\", os.O_RDWR))))")),
              find_landlock().version == 0 ? "None\n" : "EACCES\n");
    EXPECT_EQ(output_of_guest(box, "kill -0 2 && echo may be signalled"), "may be signalled\n");
    end_host(box);
}

// As of a Linux without it.
void hide_landlock() {
    sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    sock_fprog program{std::size(rules), rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(97);
}

TEST_P(in_a_box, the_first_wall_holds_without_a_second) {
    prepare_ = hide_landlock;
    expect_everywhere("touch /etc/x 2>&1; touch /mnt/files/x && echo touched",
                      "touch: cannot touch '/etc/x': Read-only file system\ntouched\n");
    EXPECT_THAT(offered().no_landlock, HasSubstr("Function not implemented"));
}

TEST_P(in_a_box, it_is_told_whether_there_is_a_second_wall) {
    EXPECT_EQ(offered().no_landlock, find_landlock().reason);
}

TEST_P(in_a_box, rights_stay_where_nobody_wants_isolation) {
    isolation_ = "none";
    write("home/a", "x");
    const bool root = GetParam() == who::root;
    everywhere(
        "set -- $(grep CapEff /proc/self/status); [ $2 = 0000000000000000 ] && echo none; grep Seccomp: "
        "/proc/self/status; touch /mnt/files/made; cat /home/user/a",
        [&](const std::string& printed) { EXPECT_EQ(printed, std::string(root ? "" : "none\n") + "Seccomp:\t0\nx"); });
}

TEST_P(in_a_box, programs_go_on_working) {
    expect_everywhere(
        "exec /usr/bin/python3 -c 'import threading, subprocess, multiprocessing, tempfile, os, asyncio, mmap\n"
        "t = threading.Thread(target=lambda: None); t.start(); t.join()\n"
        "print(subprocess.run([\"sh\", \"-c\", \"echo $((6*7))\"], capture_output=True, text=True).stdout.strip())\n"
        "with multiprocessing.get_context(\"fork\").Pool(2) as pool: print(sum(pool.map(abs, [-1, -2])))\n"
        "with tempfile.TemporaryDirectory() as d: os.symlink(\"a\", d + \"/l\"); os.link(d + \"/l\", d + \"/m\", "
        "follow_symlinks=False)\n"
        "print(len(os.urandom(4)), os.cpu_count() > 0, len(mmap.mmap(-1, 4096)))\n"
        "async def main(): return await asyncio.create_subprocess_exec(\"true\")\n"
        "asyncio.run(main())'",
        "42\n3\n4 True 4096\n");
}

TEST_P(in_a_box, the_wall_lets_programs_do_with_files_what_they_do) {
    expect_everywhere(
        python("import pty, sqlite3, tempfile, termios, venv\n"
               "os.chdir(tempfile.mkdtemp(dir=\"/home/user\"))\n"
               "ours, theirs = pty.openpty(); print(len(termios.tcgetattr(theirs)), open(os.ttyname(theirs), "
               "\"w\").isatty())\n"
               "memory = os.memfd_create(\"m\"); print(open(f\"/proc/self/fd/{memory}\", \"w\").write(\"x\"))\n"
               "os.makedirs(\"a/b\", exist_ok=True); open(\"a/x\", \"w\").close(); os.replace(\"a/x\", \"a/b/x\")\n"
               "os.replace(\"a/b\", \"b\")\n"
               "with tempfile.TemporaryDirectory() as d: socket.socket(socket.AF_UNIX).bind(d + \"/s\"); os.mkfifo(d + "
               "\"/f\")\n"
               "with tempfile.TemporaryFile() as f: print(open(f\"/proc/self/fd/{f.fileno()}\", \"w\").write(\"x\"))\n"
               "for file, text in ((\"comm\", \"name\"), (\"oom_score_adj\", \"500\")): open(\"/proc/self/\" + file, "
               "\"w\").write(text)\n"
               "venv.create(\"venv\", symlinks=True); sqlite3.connect(\"db\").execute(\"create table if not exists t "
               "(a)\")\n"
               "print(open(\"/dev/stderr\", \"a\").write(\"\"), open(\"/dev/null\", \"w\").write(\"x\"))"),
        "7 True\n1\n1\n0 1\n");
}

}  // namespace
}  // namespace kernel
