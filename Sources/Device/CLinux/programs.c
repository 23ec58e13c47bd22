#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static void describe(const struct stat *found, struct clinux_file *file) {
    *file = (struct clinux_file){
        .device = found->st_dev, .inode = found->st_ino, .size = (uint64_t)found->st_size,
        .changed = found->st_ctim.tv_sec, .changed_nanoseconds = found->st_ctim.tv_nsec, .owner = found->st_uid,
        .mode = found->st_mode, .links = (uint32_t)found->st_nlink };
}

int clinux_file_open(const char *path, struct clinux_file *file) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return -errno;
    struct stat found;
    if (fstat(fd, &found)) {
        int problem = errno;
        close(fd);
        return -problem;
    }
    describe(&found, file);
    return fd;
}

int clinux_file_look(const char *path, struct clinux_file *file) {
    struct stat found;
    if (lstat(path, &found)) return -errno;
    describe(&found, file);
    return 0;
}

int clinux_program_look(int32_t pid, struct clinux_file *file) {
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/exe", pid);
    // A stranger's program may lie on a file system of the stranger's, which would answer when it likes.
    struct statx found;
    if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &found)) return -errno;
    *file = (struct clinux_file){
        .device = makedev(found.stx_dev_major, found.stx_dev_minor), .inode = found.stx_ino, .size = found.stx_size,
        .changed = found.stx_ctime.tv_sec, .changed_nanoseconds = found.stx_ctime.tv_nsec, .owner = found.stx_uid,
        .mode = found.stx_mode, .links = found.stx_nlink };
    return 0;
}

int clinux_process_is_in_our_namespace(int32_t pid) {
    char path[32];
    struct stat ours, theirs;
    snprintf(path, sizeof path, "/proc/%d/ns/pid", pid);
    if (stat("/proc/self/ns/pid", &ours) || stat(path, &theirs)) return -errno;
    return ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

ssize_t clinux_program_path(int32_t pid, char *text, size_t length) {
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/exe", pid);
    ssize_t n = readlink(path, text, length - 1);
    if (n < 0) return -errno;
    // A name that was cut off is nobody's.
    if ((size_t)n == length - 1) return -ENAMETOOLONG;
    text[n] = 0;
    return n;
}

int clinux_process_user(int32_t pid, uint32_t *user) {
    char path[32], text[4096];
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -errno;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0) return -EIO;
    text[n] = 0;
    // The name comes first and its line breaks are escaped: the first line that begins so is the kernel's own.
    char *at = strstr(text, "\nUid:\t");
    if (!at) return -EIO;
    char *end;
    strtoul(at + 6, &end, 10);
    errno = 0;
    char *rest;
    unsigned long effective = strtoul(end, &rest, 10);
    if (errno || rest == end || effective > UINT32_MAX) return -EIO;
    *user = (uint32_t)effective;
    return 0;
}
