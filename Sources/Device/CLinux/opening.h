#pragma once
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

// Opens a name of a directory; never follows a link and never crosses to another mount. What an administrator has
// mounted there is not the app's. `flags` must have O_NOFOLLOW, for kernels without openat2. Returns the descriptor, or
// the negated error number.
static inline int open_in_mount(int parent, const char *name, int flags) {
    // As in the kernel's own header since 5.6, with RESOLVE_NO_XDEV and RESOLVE_NO_SYMLINKS.
    struct { uint64_t flags, mode, resolve; } way = { .flags = (uint64_t)flags, .resolve = 1 | 4 };
    int fd = (int)syscall(SYS_openat2, parent, name, &way, sizeof way);
    if (fd < 0 && errno == ENOSYS) fd = openat(parent, name, flags);
    return fd < 0 ? -errno : fd;
}
