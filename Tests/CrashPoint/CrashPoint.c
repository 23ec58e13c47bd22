/* Ends a process at the Nth thing it does to its files. Tests load this before the C library (LD_PRELOAD).
 *
 * Counted is each write, sync, rename, truncation, removal, mode and new directory below MARTLET_CRASHPOINT_DIRECTORY,
 * over all threads: strace counts for each thread alone, and could not name "the Nth". At MARTLET_CRASHPOINT_AT the
 * process is killed before the call, or with MARTLET_CRASHPOINT_TEAR after half of the bytes of a write. Each counted
 * call is a line of MARTLET_CRASHPOINT_LOG. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static char directory[PATH_MAX];
static size_t directory_length;
static long stop_at;
static bool tears;
static int log_file = -1;
static atomic_long counted;

__attribute__((constructor)) static void begin(void) {
    const char *where = getenv("MARTLET_CRASHPOINT_DIRECTORY");
    const char *at = getenv("MARTLET_CRASHPOINT_AT");
    const char *log = getenv("MARTLET_CRASHPOINT_LOG");
    if (where == NULL || strlen(where) >= sizeof directory) return;
    if (log != NULL) log_file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    stop_at = at != NULL ? atol(at) : 0;
    tears = getenv("MARTLET_CRASHPOINT_TEAR") != NULL;
    directory_length = strlen(where);
    memcpy(directory, where, directory_length + 1);
    unsetenv("LD_PRELOAD");  /* what the process starts is not to be counted */
}

static bool is_below(const char *path) {
    return directory_length > 0 && strncmp(path, directory, directory_length) == 0
        && (path[directory_length] == '/' || path[directory_length] == '\0');
}

static bool path_of(int file, char *path) {
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
    if (length < 0) return false;
    path[length] = '\0';
    return true;
}

static void die(void) {
    while (true) syscall(SYS_kill, (int)syscall(SYS_getpid), SIGKILL);
}

/* Counts a call; answers whether it is the one to die at. */
static bool is_last(const char *call, const char *path) {
    long number = atomic_fetch_add(&counted, 1) + 1;
    if (stop_at > 0 && number > stop_at) die();
    char line[PATH_MAX + 64];
    int length = snprintf(line, sizeof line, "%s %s\n", call, path + directory_length);
    if (log_file >= 0 && length > 0) syscall(SYS_write, log_file, line, (size_t)length);
    return number == stop_at;
}

static void on_path(const char *call, int at, const char *path) {
    int error = errno;
    char whole[2 * PATH_MAX + 2];
    if (path[0] != '/' && at != AT_FDCWD) {
        char parent[PATH_MAX];
        if (!path_of(at, parent)) return;
        snprintf(whole, sizeof whole, "%s/%s", parent, path);
        path = whole;
    }
    if (is_below(path) && is_last(call, path)) die();
    errno = error;
}

static void on_file(const char *call, int file) {
    int error = errno;
    char path[PATH_MAX];
    if (directory_length > 0 && path_of(file, path) && is_below(path) && is_last(call, path)) die();
    errno = error;
}

/* For a write: how many bytes are to be written before the end, or -1 to go on. */
static ssize_t on_write(const char *call, int file, size_t count) {
    int error = errno;
    char path[PATH_MAX];
    if (directory_length > 0 && path_of(file, path) && is_below(path) && is_last(call, path)) {
        if (!tears || count < 2) die();
        return (ssize_t)(count / 2);
    }
    errno = error;
    return -1;
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int file, const void *bytes, size_t count) {
    REAL(write);
    ssize_t part = on_write("write", file, count);
    if (part < 0) return real(file, bytes, count);
    real(file, bytes, (size_t)part);
    die();
    return -1;
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    REAL(pwrite);
    ssize_t part = on_write("write", file, count);
    if (part < 0) return real(file, bytes, count, offset);
    real(file, bytes, (size_t)part, offset);
    die();
    return -1;
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    REAL(pwrite64);
    ssize_t part = on_write("write", file, count);
    if (part < 0) return real(file, bytes, count, offset);
    real(file, bytes, (size_t)part, offset);
    die();
    return -1;
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    REAL(writev);
    on_file("write", file);
    return real(file, parts, count);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
    REAL(pwritev);
    on_file("write", file);
    return real(file, parts, count, offset);
}

ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t offset) {
    REAL(pwritev64);
    on_file("write", file);
    return real(file, parts, count, offset);
}

int fsync(int file) {
    REAL(fsync);
    on_file("sync", file);
    return real(file);
}

int fdatasync(int file) {
    REAL(fdatasync);
    on_file("sync", file);
    return real(file);
}

int ftruncate(int file, off_t length) {
    REAL(ftruncate);
    on_file("truncate", file);
    return real(file, length);
}

int ftruncate64(int file, off64_t length) {
    REAL(ftruncate64);
    on_file("truncate", file);
    return real(file, length);
}

int fchmod(int file, mode_t mode) {
    REAL(fchmod);
    on_file("mode", file);
    return real(file, mode);
}

int chmod(const char *path, mode_t mode) {
    REAL(chmod);
    on_path("mode", AT_FDCWD, path);
    return real(path, mode);
}

int rename(const char *path, const char *name) {
    REAL(rename);
    on_path("rename", AT_FDCWD, name);
    return real(path, name);
}

int renameat(int from, const char *path, int to, const char *name) {
    REAL(renameat);
    on_path("rename", to, name);
    return real(from, path, to, name);
}

int renameat2(int from, const char *path, int to, const char *name, unsigned int flags) {
    REAL(renameat2);
    on_path("rename", to, name);
    return real(from, path, to, name, flags);
}

int link(const char *path, const char *name) {
    REAL(link);
    on_path("link", AT_FDCWD, name);
    return real(path, name);
}

int unlink(const char *path) {
    REAL(unlink);
    on_path("remove", AT_FDCWD, path);
    return real(path);
}

int unlinkat(int at, const char *path, int flags) {
    REAL(unlinkat);
    on_path("remove", at, path);
    return real(at, path, flags);
}

int rmdir(const char *path) {
    REAL(rmdir);
    on_path("remove", AT_FDCWD, path);
    return real(path);
}

int mkdir(const char *path, mode_t mode) {
    REAL(mkdir);
    on_path("directory", AT_FDCWD, path);
    return real(path, mode);
}

int mkdirat(int at, const char *path, mode_t mode) {
    REAL(mkdirat);
    on_path("directory", at, path);
    return real(at, path, mode);
}
