#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

static int control(int epoll, int operation, int fd, uint64_t token, int reading, int writing) {
    struct epoll_event event = { .events = (reading ? EPOLLIN | EPOLLRDHUP : 0) | (writing ? EPOLLOUT : 0) };
    event.data.u64 = token;
    return epoll_ctl(epoll, operation, fd, &event) ? -errno : 0;
}

int clinux_epoll_create(void) {
    int fd = epoll_create1(EPOLL_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int clinux_epoll_add(int epoll, int fd, uint64_t token, int reading, int writing) {
    return control(epoll, EPOLL_CTL_ADD, fd, token, reading, writing);
}

int clinux_epoll_change(int epoll, int fd, uint64_t token, int reading, int writing) {
    return control(epoll, EPOLL_CTL_MOD, fd, token, reading, writing);
}

int clinux_epoll_remove(int epoll, int fd) {
    return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL) ? -errno : 0;
}

int clinux_epoll_wait(int epoll, uint64_t *tokens, uint32_t *readiness, int count, int milliseconds) {
    struct epoll_event events[64];
    int n = epoll_wait(epoll, events, count < 64 ? count : 64, milliseconds);
    if (n < 0) return errno == EINTR ? 0 : -errno;
    for (int i = 0; i < n; i++) {
        tokens[i] = events[i].data.u64;
        readiness[i] = (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR | EPOLLRDHUP) ? 1 : 0)
            | (events[i].events & EPOLLOUT ? 2 : 0) | (events[i].events & (EPOLLHUP | EPOLLERR) ? 4 : 0);
    }
    return n;
}

int clinux_event_create(void) {
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

int clinux_event_signal(int event) {
    uint64_t one = 1;
    return write(event, &one, sizeof one) == sizeof one ? 0 : -errno;
}

int clinux_event_clear(int event) {
    uint64_t count;
    return read(event, &count, sizeof count) == sizeof count ? 0 : -errno;
}

static int watch(const char *path, uint32_t events) {
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (fd < 0) return -errno;
    if (inotify_add_watch(fd, path, events | IN_ONLYDIR) < 0) {
        int problem = errno;
        close(fd);
        return -problem;
    }
    return fd;
}

int clinux_watch_directory(const char *path) { return watch(path, IN_CREATE | IN_MOVED_TO); }

int clinux_watch_files(const char *path) {
    // Not each write: a file is looked at when its writer has closed it.
    return watch(path, IN_CLOSE_WRITE | IN_MOVE | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF);
}

int clinux_watch_create(void) {
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

int clinux_watch_add(int watch, const char *path, int files) {
    uint32_t events = IN_CREATE | IN_DELETE | IN_MOVE | IN_DELETE_SELF | IN_MOVE_SELF;
    if (files) events |= IN_CLOSE_WRITE | IN_ATTRIB;
    // One inode has one watch: a second path to it must not narrow what the first one asked for.
    int directory = inotify_add_watch(watch, path, events | IN_ONLYDIR | IN_MASK_ADD);
    return directory < 0 ? -errno : directory;
}

int clinux_watch_remove(int watch, int directory) { return inotify_rm_watch(watch, directory) ? -errno : 0; }

ssize_t clinux_watch_read(int watch, void *buffer, size_t length) {
    ssize_t n = read(watch, buffer, length);
    return n < 0 ? -errno : n;
}

int clinux_watch_wait(int watch, int milliseconds) {
    struct pollfd p = { watch, POLLIN, 0 };
    int n = poll(&p, 1, milliseconds);
    if (n <= 0) return 0;
    char events[4096];
    while (read(watch, events, sizeof events) > 0) {}
    return 1;
}

static int signal_pipe[2] = { -1, -1 };

static void note_signal(int number) {
    int before = errno;
    unsigned char byte = (unsigned char)number;
    ssize_t ignored = write(signal_pipe[1], &byte, 1);
    (void)ignored;
    errno = before;
}

int clinux_signals_open(const int *signals, int count) {
    if (signal_pipe[0] < 0 && pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK)) return -errno;
    for (int i = 0; i < count; i++) {
        struct sigaction noting = { .sa_handler = note_signal, .sa_flags = SA_RESTART };
        sigfillset(&noting.sa_mask);
        if (sigaction(signals[i], &noting, NULL)) return -errno;
    }
    return signal_pipe[0];
}

int clinux_signals_read(int fd) {
    unsigned char byte;
    return read(fd, &byte, 1) == 1 ? byte : -EAGAIN;
}
