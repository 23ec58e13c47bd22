#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// As in the kernel's own header since 6.12; the system's may be older. Numbers are the same on all machines.
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif
#ifndef SYS_landlock_add_rule
#define SYS_landlock_add_rule 445
#endif
#define ASK_VERSION 1
#define BELOW_PATH 1
struct what_is_ruled { uint64_t files, network, scopes; };
struct below_path { uint64_t allowed; int32_t path; } __attribute__((packed));

#define RIGHT(n) (UINT64_C(1) << (n))
#define EXECUTE RIGHT(0)
#define WRITE_FILE RIGHT(1)
#define READ_FILE RIGHT(2)
#define READ_DIRECTORY RIGHT(3)
#define MAKE_CHARACTER_DEVICE RIGHT(6)
#define MAKE_BLOCK_DEVICE RIGHT(11)
#define TRUNCATE RIGHT(14)
#define DEVICE_CONTROL RIGHT(15)
#define OF_FILES (EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | DEVICE_CONTROL)
// Abstract sockets of others, and signals to them.
#define OTHERS (RIGHT(0) | RIGHT(1))

// What each version knows: the first all up to making links, the second moves between directories, and so on.
static uint64_t known(int version) {
    uint64_t rights = RIGHT(13) - 1;
    if (version >= 2) rights |= RIGHT(13);
    if (version >= 3) rights |= TRUNCATE;
    if (version >= 5) rights |= DEVICE_CONTROL;
    return rights;
}

int clinux_landlock_version(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION);
    return version < 0 ? -errno : (int)version;
}

int clinux_landlock_open(int version) {
    struct what_is_ruled all = { .files = known(version), .scopes = version >= 6 ? OTHERS : 0 };
    long rules = syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
    return rules < 0 ? -errno : (int)rules;
}

int clinux_landlock_allow(int rules, int version, const char *path, enum clinux_use use) {
    uint64_t rights = READ_FILE | READ_DIRECTORY;
    if (use == clinux_run) rights |= EXECUTE;
    if (use == clinux_speak) rights = READ_FILE | WRITE_FILE | READ_DIRECTORY | DEVICE_CONTROL;
    if (use == clinux_own) rights = ~(MAKE_CHARACTER_DEVICE | MAKE_BLOCK_DEVICE);
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0) return -errno;
    struct stat facts;
    int problem = fstat(fd, &facts) ? errno : 0;
    if (!problem) {
        rights &= known(version);
        if (!S_ISDIR(facts.st_mode)) rights &= OF_FILES;
        struct below_path rule = { .allowed = rights, .path = fd };
        if (syscall(SYS_landlock_add_rule, rules, BELOW_PATH, &rule, 0)) problem = errno;
    }
    close(fd);
    return -problem;
}
