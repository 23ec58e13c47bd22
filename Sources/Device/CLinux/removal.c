#define _GNU_SOURCE
#include "CLinux.h"
#include "opening.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

// A room lies in a directory that only we may change, and is ours alone: no name in it changes behind our back.
static int check_room(int room, struct stat *facts) {
    if (fstat(room, facts)) return -errno;
    return S_ISDIR(facts->st_mode) && facts->st_uid == geteuid() && !(facts->st_mode & 077) ? 0 : -EPERM;
}

static int take(int from, const char *name, int room) {
    for (int attempt = 0; attempt < 8; attempt++) {
        uint64_t number;
        char free_name[32];
        if (getrandom(&number, sizeof number, 0) != sizeof number) return -EIO;
        snprintf(free_name, sizeof free_name, "%016llx", (unsigned long long)number);
        if (renameat(from, name, room, free_name) == 0) return 0;
        if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR && errno != EISDIR) return -errno;
    }
    return -EEXIST;
}

static int open_directory(int parent, const char *name, dev_t device) {
    int fd = open_in_mount(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return fd;
    struct stat facts;
    int problem = fstat(fd, &facts) ? errno : facts.st_dev != device ? EXDEV : 0;
    // First it stops being its owner's, who could undo the rest. From then on nobody else changes a name in it, not by a
    // descriptor either: the kernel asks for the right at each change.
    if (!problem && (fchown(fd, geteuid(), getegid()) || fchmod(fd, 0700))) problem = errno;
    if (problem) close(fd);
    return problem ? -problem : fd;
}

static int is_itself_or_parent(const char *name) { return strcmp(name, ".") == 0 || strcmp(name, "..") == 0; }

// Removes what a directory of the room holds. Directories in it are moved into the room: however deep they lie, each
// is then one below it.
static int empty_directory(int room, const char *name, dev_t device, int *left) {
    int fd = open_directory(room, name, device);
    if (fd < 0) return fd;
    DIR *names = fdopendir(fd);
    if (!names) {
        int problem = errno;
        close(fd);
        return -problem;
    }
    int problem = 0;
    struct dirent *entry;
    while (!problem && *left > 0 && (errno = 0, entry = readdir(names))) {
        if (is_itself_or_parent(entry->d_name)) continue;
        --*left;
        if (unlinkat(fd, entry->d_name, 0) == 0 || errno == ENOENT) continue;
        if (errno != EISDIR && errno != EPERM) problem = -errno;
        else if (unlinkat(fd, entry->d_name, AT_REMOVEDIR) != 0) {
            if (errno == ENOTDIR) problem = -EPERM;
            else if (errno == ENOTEMPTY || errno == EEXIST) problem = take(fd, entry->d_name, room);
            else problem = -errno;
        }
    }
    if (!problem && *left > 0 && errno) problem = -errno;
    closedir(names);
    return problem;
}

int clinux_room_take(int from, const char *name, int room) {
    struct stat facts;
    int problem = check_room(room, &facts);
    return problem ? problem : take(from, name, room);
}

int clinux_room_empty(int room, int most) {
    struct stat facts;
    int problem = check_room(room, &facts);
    if (problem) return problem;
    int copy = openat(room, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (copy < 0) return -errno;
    DIR *names = fdopendir(copy);
    if (!names) {
        problem = -errno;
        close(copy);
        return problem;
    }
    int left = most;
    int found = 0;
    struct dirent *entry;
    while (!problem && left > 0 && (errno = 0, entry = readdir(names))) {
        if (is_itself_or_parent(entry->d_name)) continue;
        found = 1;
        --left;
        if (unlinkat(room, entry->d_name, 0) == 0 || errno == ENOENT) continue;
        if (errno != EISDIR && errno != EPERM) {
            problem = -errno;
            continue;
        }
        problem = empty_directory(room, entry->d_name, facts.st_dev, &left);
        if (!problem && unlinkat(room, entry->d_name, AT_REMOVEDIR) != 0 && errno != ENOTEMPTY && errno != EEXIST)
            problem = -errno;
    }
    if (!problem && left > 0 && errno) problem = -errno;
    closedir(names);
    return problem ? problem : found;
}
