#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/fsverity.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

int clinux_in_memory(const char *path) {
    struct statfs facts;
    if (statfs(path, &facts)) return -errno;
    return facts.f_type == TMPFS_MAGIC || facts.f_type == RAMFS_MAGIC;
}

int clinux_is_mounted_on(const char *path) {
    char parent[4096];
    struct stat here, above;
    int n = snprintf(parent, sizeof parent, "%s/..", path);
    if (n < 0 || (size_t)n >= sizeof parent) return -ENAMETOOLONG;
    if (stat(path, &here) || stat(parent, &above)) return -errno;
    return here.st_dev != above.st_dev;
}

int clinux_mount_memory(const char *path, uint64_t bytes, uint64_t files) {
    const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    char options[128];
    snprintf(options, sizeof options, "mode=0711,size=%llu,nr_inodes=%llu,noswap", (unsigned long long)bytes,
             (unsigned long long)files);
    if (mount("martlet", path, "tmpfs", flags, options) == 0) return 0;
    // Kernels before 6.4 do not know `noswap`; ramfs is never swapped, and has no bounds but ours.
    if (errno != EINVAL) return -errno;
    return mount("martlet", path, "ramfs", flags, "mode=0711") ? -errno : 0;
}

int clinux_unmount(const char *path) { return umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW) ? -errno : 0; }

int clinux_make_immutable(const char *path) {
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return -errno;
    // Kernels before 6.3 take only blocks of a page's size.
    struct fsverity_enable_arg how = {
        .version = 1, .hash_algorithm = FS_VERITY_HASH_ALG_SHA256, .block_size = (uint32_t)sysconf(_SC_PAGESIZE) };
    int problem = ioctl(fd, FS_IOC_ENABLE_VERITY, &how) && errno != EEXIST ? errno : 0;
    close(fd);
    return -problem;
}
