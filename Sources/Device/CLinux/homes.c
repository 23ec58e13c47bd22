#define _GNU_SOURCE
#include "CLinux.h"
#include "opening.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Each level has one descriptor open.
#define DEEPEST 128

struct work {
    uint32_t from, to;
    dev_t device;
    int names, most;
};

// Names what is there without opening it: a pipe or a device is not touched, and a link is named itself.
static int open_name(int parent, const char *name) {
    return open_in_mount(parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

// Only what is the old user's changes hands. So a hard link to somebody else's file, which an app can put into its home on
// some systems, stays theirs.
static int pass_on(int fd, const struct stat *facts, const struct work *work) {
    uid_t user = facts->st_uid == work->from ? (uid_t)work->to : (uid_t)-1;
    gid_t group = facts->st_gid == work->from ? (gid_t)work->to : (gid_t)-1;
    if (user == (uid_t)-1 && group == (gid_t)-1) return 0;
    return fchownat(fd, "", user, group, AT_EMPTY_PATH) ? -errno : 0;
}

static int pass_directory(int place, struct work *work, int depth);

static int pass_name(int parent, const char *name, struct work *work, int depth) {
    int fd = open_name(parent, name);
    // It is gone, or something is mounted on it, which is not the app's.
    if (fd == -ENOENT || fd == -EXDEV) return 0;
    if (fd < 0) return fd;
    struct stat facts;
    int problem = fstat(fd, &facts) ? -errno : 0;
    if (!problem && facts.st_dev == work->device) {
        if (S_ISDIR(facts.st_mode)) problem = pass_directory(fd, work, depth + 1);
        if (!problem && work->from != work->to) problem = pass_on(fd, &facts, work);
    }
    close(fd);
    return problem;
}

static int pass_directory(int place, struct work *work, int depth) {
    if (depth > DEEPEST) return -E2BIG;
    int fd = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return -errno;
    DIR *names = fdopendir(fd);
    if (!names) {
        int problem = -errno;
        close(fd);
        return problem;
    }
    int problem = 0;
    struct dirent *entry;
    while (!problem && (errno = 0, entry = readdir(names))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (work->names >= work->most) problem = -E2BIG;
        else {
            work->names++;
            problem = pass_name(fd, entry->d_name, work, depth);
        }
    }
    if (!problem && errno) problem = -errno;
    closedir(names);
    return problem;
}

int clinux_home_pass(int homes, const char *name, uint32_t from, uint32_t to, int most) {
    int fd = open_name(homes, name);
    if (fd < 0) return fd;
    struct stat facts = { 0 };
    int problem = fstat(fd, &facts) ? -errno : S_ISDIR(facts.st_mode) ? 0 : -ENOTDIR;
    struct work work = { .from = from, .to = to, .device = facts.st_dev, .names = 0, .most = most };
    if (!problem) problem = pass_directory(fd, &work, 0);
    // Last: the new owner of a home owns all in it.
    if (!problem && from != to) problem = pass_on(fd, &facts, &work);
    close(fd);
    return problem ? problem : work.names;
}
