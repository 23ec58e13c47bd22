#define _GNU_SOURCE
#include "namespaces.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif
#ifndef SYS_move_mount
#define SYS_move_mount 429
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
// As in linux/mount.h and linux/fcntl.h, which the system may have in an older version.
#define COPY_OF_TREE 1
#define OF_DESCRIPTOR 0x1000
#define WITH_ALL_BELOW 0x8000
#define FROM_DESCRIPTOR 4
#define MAKE_READ_ONLY 1
struct mount_change { uint64_t set, clear, propagation, user_namespace; };

#define MOST_MOUNTS 16

int wants_namespaces(const struct clinux_launch *launch) {
    return launch->has_own_network || launch->mount_paths[0] != NULL;
}

// With a user namespace among them the others need no right to change the machine, which the agent has not. What the
// process may do in there it loses with exec, because it runs as the app's user then.
int make_namespaces(const struct clinux_launch *launch) {
    int kinds = CLONE_NEWUSER;
    if (launch->mount_paths[0]) kinds |= CLONE_NEWNS;
    if (launch->has_own_network) kinds |= CLONE_NEWNET;
    return unshare(kinds) ? errno : 0;
}

int await_namespaces(int is_made, int gate) {
    char word = is_made ? 'n' : 'x';
    int32_t number = 0;
    ssize_t n;
    do n = write(gate, &word, 1);
    while (n < 0 && errno == EINTR);
    if (n != 1) return n < 0 ? errno : EIO;
    if (!is_made) return 0;
    do n = read(gate, &number, sizeof number);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof number ? number : ECANCELED;
}

static int give(int32_t pid, const char *list, uint32_t user) {
    char path[64], line[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, list);
    int length = snprintf(line, sizeof line, "%u %u 1\n", user, user);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return errno;
    int number = write(fd, line, (size_t)length) == length ? 0 : errno;
    close(fd);
    return number;
}

int complete_namespaces(int32_t pid, uint32_t user, int gate, int milliseconds) {
    struct pollfd p = { gate, POLLIN, 0 };
    int ready;
    do ready = poll(&p, 1, milliseconds);
    while (ready < 0 && errno == EINTR);
    if (ready <= 0) return ready < 0 ? errno : ETIMEDOUT;
    char word = 0;
    ssize_t n;
    do n = read(gate, &word, 1);
    while (n < 0 && errno == EINTR);
    if (n != 1) return n < 0 ? errno : EIO;
    // A step before failed: the process says so when it is let through its gate.
    if (word != 'n') return 0;
    int32_t number = give(pid, "uid_map", user);
    if (!number) number = give(pid, "gid_map", user);
    return send(gate, &number, sizeof number, MSG_NOSIGNAL) == (ssize_t)sizeof number ? 0 : errno;
}

// The directories that lead to a path and itself, as far as they can be made: in memory of ours they can.
static void make_way(const char *path) {
    char part[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof part) return;
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != 0) continue;
        memcpy(part, path, i);
        part[i] = 0;
        mkdir(part, 0755);
    }
}

static int make_read_only(int directory, const char *path, int flags) {
    struct mount_change change = { .set = MAKE_READ_ONLY };
    return syscall(SYS_mount_setattr, directory, path, flags, &change, sizeof change) ? errno : 0;
}

static int place(int tree, const char *path, int is_read_only) {
    int number = is_read_only ? make_read_only(tree, "", OF_DESCRIPTOR | WITH_ALL_BELOW) : 0;
    if (number) return number;
    make_way(path);
    return syscall(SYS_move_mount, tree, "", AT_FDCWD, path, FROM_DESCRIPTOR) ? errno : 0;
}

int make_mounts(const struct clinux_launch *launch) {
    int trees[MOST_MOUNTS], count = 0, number = 0;
    // All sources first: a mount may cover those of later ones.
    for (; launch->mount_paths[count]; count++) {
        if (count == MOST_MOUNTS) return E2BIG;
        const char *source = launch->mount_sources[count];
        trees[count] = -1;
        if (!source || !*source) continue;
        long tree = syscall(SYS_open_tree, AT_FDCWD, source, COPY_OF_TREE | O_CLOEXEC | WITH_ALL_BELOW);
        if (tree < 0) return errno;
        trees[count] = (int)tree;
    }
    for (int i = 0; i < count && !number; i++) {
        const char *path = launch->mount_paths[i];
        if (trees[i] >= 0) number = place(trees[i], path, launch->mounts_read_only[i]);
        else if (mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m")) number = errno;
    }
    // Last, because directories are made in memory for what is mounted there.
    for (int i = 0; i < count && !number; i++) {
        if (trees[i] < 0 && launch->mounts_read_only[i]) number = make_read_only(AT_FDCWD, launch->mount_paths[i], 0);
    }
    for (int i = 0; i < count; i++) {
        if (trees[i] >= 0) close(trees[i]);
    }
    return number;
}
