#include "kernel/sandbox/confinement.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/box_user.hpp"
#include "kernel/sandbox/capabilities.hpp"
#include "kernel/sandbox/file_wall.hpp"
#include "kernel/sandbox/syscall_filter.hpp"

namespace kernel {

void confine(const isolation& how, const file_descriptor& wall) {
    if (!how.confined) {
        if (how.unprivileged) drop_capabilities();
        return;
    }
    require(setresgid(id_inside, id_inside, id_inside), "become the box's group");
    require(setresuid(id_inside, id_inside, id_inside), "become the box's user");
    drop_capabilities();
    require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "forbid new privileges");
    stay_behind(wall);
    syscall_filter::of_boxes().apply();
}

}  // namespace kernel
