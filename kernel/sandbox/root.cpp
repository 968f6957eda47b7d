#include "kernel/sandbox/root.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>

#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/mount_points.hpp"
#include "kernel/sandbox/mount_tree.hpp"

namespace kernel {
namespace {

struct placed_tree {
    mount_tree tree;
    std::string target;
};

struct placed_link {
    std::string path;
    std::string target;
};

struct parts {
    std::vector<placed_tree> trees;
    std::vector<placed_link> links;
};

constexpr const char* devices[] = {"null", "zero", "full", "random", "urandom", "tty"};

void add_read_only(parts& all, const std::string& source, const std::string& target) {
    std::optional<mount_tree> tree = mount_tree::find(source);
    if (!tree) return;
    tree->make_read_only();
    all.trees.push_back({std::move(*tree), target});
}

// /bin and its like are links into /usr on a merged system, directories elsewhere.
void add_program_directory(parts& all, const std::string& path) {
    char buffer[PATH_MAX];
    ssize_t size = readlink(path.c_str(), buffer, sizeof buffer);
    if (size > 0)
        all.links.push_back({path, std::string(buffer, size)});
    else
        add_read_only(all, path, path);
}

// A resolv.conf that a network manager keeps under /run is shown at that place too.
void add_resolver(parts& all) {
    std::unique_ptr<char, void (*)(void*)> real(realpath("/etc/resolv.conf", nullptr), &std::free);
    if (real && std::string_view(real.get()).substr(0, 5) != "/etc/") add_read_only(all, real.get(), real.get());
}

void add_system(parts& all) {
    mount_tree usr = mount_tree::take("/usr");
    usr.make_read_only();
    all.trees.push_back({std::move(usr), "/usr"});
    for (const char* each : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) add_program_directory(all, each);
    for (const char* each : {"/etc", "/opt", "/sys"}) add_read_only(all, each, each);
    add_resolver(all);
    for (const char* each : devices) {
        std::string path = std::string("/dev/") + each;
        if (std::optional<mount_tree> node = mount_tree::find(path)) all.trees.push_back({std::move(*node), path});
    }
}

// Parents before what lies in them; the later of two with one target is seen.
void add_requested(parts& all, std::vector<bind_mount> mounts, const box_user* user) {
    std::ranges::stable_sort(mounts, {}, &bind_mount::target);
    for (const bind_mount& each : mounts) {
        mount_tree tree = mount_tree::take(each.source);
        tree.hide_devices();
        if (user) tree.give_to(*user);
        if (!each.writable) tree.make_read_only();
        all.trees.push_back({std::move(tree), each.target});
    }
}

void make_directory(const std::string& path, mode_t mode) {
    require(mkdir(path.c_str(), mode), "make the directory " + path);
}

// While the host's own /proc is still there: a user namespace may only mount what it could already see.
void show_processes(const isolation& how, root_of whose) {
    make_directory("proc", 0555);
    // An ordinary user may not mount one of the machine's pid namespace.
    if (whose == root_of::zygote && how.unprivileged)
        require(mount("/proc", "proc", nullptr, MS_BIND | MS_REC, nullptr), "mount the host's /proc");
    else
        require(mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr), "mount /proc");
}

// The new root covers the host's /tmp for a moment: all that comes from there has been taken before.
void enter_new_root(const isolation& how, root_of whose) {
    mount_tmpfs("/tmp", "mode=0755");
    require(chdir("/tmp"), "enter the new root");
    show_processes(how, whose);
    require(syscall(SYS_pivot_root, ".", "."), "pivot_root");
    require(umount2(".", MNT_DETACH), "leave the host's root");
    require(chdir("/"), "enter the new root");
}

void make_own_directories(const box_user* user) {
    struct own {
        const char* path;
        const char* options;
    };
    make_directory("/var", 0755);
    constexpr own places[] = {{"/dev", "mode=0755"},
                              {"/tmp", "mode=1777"},
                              {"/run", "mode=0755"},
                              {"/var/tmp", "mode=1777"},
                              {"/home", "mode=0755"}};
    for (const own& each : places) {
        make_directory(each.path, 0755);
        mount_tmpfs(each.path, each.options);
    }
    make_directory("/home/user", 0755);
    for (const char* each : {"/run", "/home", "/home/user"})
        if (user) require(chown(each, user->outside(), user->outside()), std::string("give away ") + each);
    require(symlink("/run", "/var/run"), "link /var/run");
}

void fill_dev(const isolation& how) {
    make_directory("/dev/pts", 0755);
    make_directory("/dev/shm", 0755);
    mount_tmpfs("/dev/shm", "mode=1777");
    // The group tty (5) is not mapped in an ordinary user's. Without a maximum one box takes all 3,072 terminals that
    // Linux has for boxes together.
    const char* options = how.unprivileged ? "newinstance,max=64,ptmxmode=0666,mode=0620"
                                           : "newinstance,max=64,ptmxmode=0666,mode=0620,gid=5";
    require(mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, options), "mount /dev/pts");
    constexpr const char* links[][2] = {{"pts/ptmx", "/dev/ptmx"},
                                        {"/proc/self/fd", "/dev/fd"},
                                        {"/proc/self/fd/0", "/dev/stdin"},
                                        {"/proc/self/fd/1", "/dev/stdout"},
                                        {"/proc/self/fd/2", "/dev/stderr"}};
    for (const auto& [target, path] : links) require(symlink(target, path), std::string("link ") + path);
}

void attach_all(const parts& all, mount_points& points) {
    for (const placed_link& each : all.links)
        require(symlink(each.target.c_str(), each.path.c_str()), "link " + each.path);
    for (const placed_tree& each : all.trees) each.tree.attach(each.target, points);
}

void replace_file(const std::string& target, const std::string& text, mount_points& points) {
    const std::string path = "/replacement";
    std::ofstream(path) << text;
    require(chmod(path.c_str(), 0644), "protect " + path);
    mount_tree ours = mount_tree::take(path);
    ours.make_read_only();
    ours.attach(target, points);
    require(unlink(path.c_str()), "remove " + path);
}

// Programs look their own host name up; the host's file does not know the box's.
void name_host(const std::string& hostname, mount_points& points) {
    std::ifstream theirs("/etc/hosts");
    if (!theirs) return;
    std::ostringstream text;
    text << theirs.rdbuf() << "\n127.0.1.1 " << hostname << "\n";
    replace_file("/etc/hosts", text.str(), points);
}

// The machine's own users are none of the box's business.
void name_users(mount_points& points) {
    const std::string id = std::to_string(id_inside);
    replace_file("/etc/passwd",
                 "root:x:0:0:root:/root:/usr/sbin/nologin\nuser:x:" + id + ":" + id +
                     ":user:/home/user:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
                 points);
    replace_file("/etc/group", "root:x:0:\ntty:x:5:\nuser:x:" + id + ":\nnogroup:x:65534:\n", points);
}

void hide_directory(const std::string& path) {
    require(mount("tmpfs", path.c_str(), "tmpfs", MS_NOSUID | MS_NODEV | MS_RDONLY, "mode=0555"), "hide " + path);
}

// The directories in which the machine's interfaces are, each once; links lead there from /sys/class/net.
std::set<std::string> places_of_interfaces() {
    std::set<std::string> all;
    std::error_code ec;
    for (const auto& each : std::filesystem::directory_iterator("/sys/class/net", ec))
        if (const auto real = std::filesystem::canonical(each.path(), ec); !ec) all.insert(real.parent_path().string());
    return all;
}

// Of other people's disks and traffic.
void hide_devices_of_the_machine(const isolation& how) {
    std::set<std::string> all = {"/sys/block", "/sys/class/block", "/sys/devices/virtual/block", "/sys/fs/btrfs"};
    if (how.own_network) {
        all.merge(places_of_interfaces());
        all.insert("/sys/class/net");
    }
    for (const std::string& each : all)
        if (struct stat found{}; stat(each.c_str(), &found) == 0) hide_directory(each);
}

// What tells of the machine beyond the box, or has been a way out. Files read as empty, directories too; what is set in
// /proc/sys stays as it is.
void mask_kernel_files(const isolation& how) {
    require(mount("/proc/sys", "/proc/sys", nullptr, MS_BIND, nullptr), "mount /proc/sys again");
    seal("/proc/sys");
    for (const char* each :
         {"acpi", "asound", "bus", "fs", "irq", "scsi", "sysvipc", "kcore", "keys", "key-users", "kallsyms",
          "latency_stats", "sched_debug", "sysrq-trigger", "timer_list", "timer_stats"}) {
        const std::string path = std::string("/proc/") + each;
        struct stat found {};
        if (stat(path.c_str(), &found) != 0) continue;
        if (S_ISDIR(found.st_mode))
            hide_directory(path);
        else
            require(mount("/dev/null", path.c_str(), nullptr, MS_BIND, nullptr), "hide " + path);
    }
    hide_devices_of_the_machine(how);
}

}  // namespace

void assemble_root(const isolation& how, const std::string& hostname, const std::vector<bind_mount>& mounts,
                   root_of whose, const box_user* user) {
    umask(0);
    require(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), "make the mounts private");
    parts all;
    add_system(all);
    add_requested(all, mounts, user);
    enter_new_root(how, whose);
    make_own_directories(user);
    fill_dev(how);
    mount_points points;
    attach_all(all, points);
    name_host(hostname, points);
    name_users(points);
    if (whose == root_of::box || !how.unprivileged) mask_kernel_files(how);
    points.seal_all();
    seal("/dev");
    seal("/");
}

}  // namespace kernel
