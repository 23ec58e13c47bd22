#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static int pass_credentials(int fd) {
    int on = 1;
    return setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) ? -errno : 0;
}

int clinux_take_no_descriptors(int fd) {
    int off = 0;
    return setsockopt(fd, SOL_SOCKET, SO_PASSRIGHTS, &off, sizeof off) ? -errno : 0;
}

int clinux_socket_pair(int *ours, int *theirs) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return -errno;
    int result = pass_credentials(ends[0]);
    if (result == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK)) result = -errno;
    if (result) {
        close(ends[0]);
        close(ends[1]);
        return result;
    }
    // Kernels before Linux 6.16 deliver descriptors all the same: whoever reads closes them elsewhere.
    clinux_take_no_descriptors(ends[0]);
    *ours = ends[0];
    *theirs = ends[1];
    return 0;
}

// A socket address holds 107 bytes of path; a longer one goes through a descriptor of its directory.
static int address(const char *path, struct sockaddr_un *out, int *directory) {
    memset(out, 0, sizeof *out);
    out->sun_family = AF_UNIX;
    *directory = -1;
    if (strlen(path) < sizeof out->sun_path) {
        strcpy(out->sun_path, path);
        return 0;
    }
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path || (size_t)(slash - path) >= PATH_MAX) return -ENAMETOOLONG;
    char parent[PATH_MAX];
    memcpy(parent, path, slash - path);
    parent[slash - path] = 0;
    *directory = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (*directory < 0) return -errno;
    int n = snprintf(out->sun_path, sizeof out->sun_path, "/proc/self/fd/%d/%s", *directory, slash + 1);
    if (n < 0 || (size_t)n >= sizeof out->sun_path) {
        close(*directory);
        *directory = -1;
        return -ENAMETOOLONG;
    }
    return 0;
}

int clinux_listen(const char *path, uint32_t mode) {
    // Bound under another name and renamed when it listens, so that a program that sees the name can connect.
    char temporary[PATH_MAX];
    int n = snprintf(temporary, sizeof temporary, "%s.new", path);
    if (n < 0 || (size_t)n >= sizeof temporary) return -ENAMETOOLONG;
    unlink(temporary);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -errno;
    struct sockaddr_un to;
    int directory;
    int result = address(temporary, &to, &directory);
    if (result == 0 && bind(fd, (struct sockaddr *)&to, sizeof to)) result = -errno;
    if (directory >= 0) close(directory);
    if (result == 0 && chmod(temporary, mode)) result = -errno;
    if (result == 0) result = pass_credentials(fd);
    // What one program leaves here is taken from it faster than it comes; meanwhile there is room for others.
    if (result == 0 && listen(fd, 4096)) result = -errno;
    if (result == 0 && rename(temporary, path)) result = -errno;
    if (result) {
        unlink(temporary);
        close(fd);
        return result;
    }
    return fd;
}

int clinux_take_listener(int fd) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK)) return -errno;
    return pass_credentials(fd);
}

int clinux_connect(const char *path) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    struct sockaddr_un to;
    int directory;
    int result = address(path, &to, &directory);
    // A stopped listener with a full queue would hold us: connect without waiting, then wait normally.
    if (result == 0 && fcntl(fd, F_SETFL, O_NONBLOCK)) result = -errno;
    if (result == 0 && connect(fd, (struct sockaddr *)&to, sizeof to)) result = -errno;
    if (directory >= 0) close(directory);
    if (result == 0 && fcntl(fd, F_SETFL, 0)) result = -errno;
    if (result) {
        close(fd);
        return result;
    }
    return fd;
}

int clinux_accept(int listener) {
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) return -errno;
    int result = pass_credentials(fd);
    if (result) {
        close(fd);
        return result;
    }
    return fd;
}

int clinux_is_local_stream(int fd) {
    int family = 0, type = 0;
    socklen_t length = sizeof family;
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &length)) return 0;
    length = sizeof type;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length)) return 0;
    return family == AF_UNIX && type == SOCK_STREAM;
}

ssize_t clinux_receive(int fd, void *buffer, size_t length, struct clinux_sender *sender, int *fds, int *fd_count) {
    memset(sender, 0, sizeof *sender);
    *fd_count = 0;
    union {
        char bytes[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(clinux_most_descriptors * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec part = { buffer, length };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
                              .msg_controllen = sizeof control.bytes };
    ssize_t n;
    do n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n < 0) return -errno;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level != SOL_SOCKET) continue;
        if (c->cmsg_type == SCM_CREDENTIALS) {
            struct ucred who;
            memcpy(&who, CMSG_DATA(c), sizeof who);
            sender->pid = who.pid;
            sender->uid = who.uid;
            sender->gid = who.gid;
        } else if (c->cmsg_type == SCM_RIGHTS) {
            // A message has at most as many as there is room for: the kernel never drops one here.
            int count = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
            if (count > clinux_most_descriptors - *fd_count) count = clinux_most_descriptors - *fd_count;
            memcpy(fds + *fd_count, CMSG_DATA(c), count * sizeof(int));
            *fd_count += count;
        }
    }
    return n;
}

// The first expiry ends one wait, and while its signal is pending no further one of the same `close` begins.
enum { LINGER_NANOSECONDS = 1000000 };

static void stop_waiting(int signal) { (void)signal; }

void clinux_close_at_once(const int *fds, int count) {
    struct sigaction action = { .sa_handler = stop_waiting };
    sigaction(SIGURG, &action, NULL);
    sigset_t urgent, before;
    sigemptyset(&urgent);
    sigaddset(&urgent, SIGURG);
    pthread_sigmask(SIG_UNBLOCK, &urgent, &before);
    struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGURG };
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    timer_t timer;
    int is_timed = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
    if (is_timed) {
        struct timespec part = { .tv_nsec = LINGER_NANOSECONDS };
        struct itimerspec each = { .it_value = part, .it_interval = part };
        timer_settime(timer, 0, &each, NULL);
    }
    struct linger off = { .l_onoff = 0 };
    for (int i = 0; i < count; i++) {
        setsockopt(fds[i], SOL_SOCKET, SO_LINGER, &off, sizeof off);
        close(fds[i]);
    }
    if (is_timed) timer_delete(timer);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int64_t now_milliseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

// Waits for one kind of readiness; 0 when ready, -ETIMEDOUT otherwise.
static int wait_for(int fd, short events, int milliseconds) {
    int64_t end = milliseconds < 0 ? 0 : now_milliseconds() + milliseconds;
    for (;;) {
        int left = -1;
        if (milliseconds >= 0) {
            int64_t rest = end - now_milliseconds();
            left = rest > 0 ? (int)rest : 0;
        }
        struct pollfd p = { fd, events, 0 };
        int n = poll(&p, 1, left);
        if (n > 0) return 0;
        if (n == 0) return -ETIMEDOUT;
        if (errno != EINTR) return -errno;
    }
}

ssize_t clinux_read(int fd, void *buffer, size_t length, int milliseconds) {
    if (milliseconds >= 0) {
        int result = wait_for(fd, POLLIN, milliseconds);
        if (result) return result;
    }
    ssize_t n;
    do n = recv(fd, buffer, length, 0);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}

// What an idle core takes to wake costs more than an answer that is at hand; meanwhile whoever can use the core has it.
enum { AWAKE_NANOSECONDS = 100000 };

static int64_t now_nanoseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

ssize_t clinux_read_awake(int fd, void *buffer, size_t length, int milliseconds) {
    int64_t end = now_nanoseconds() + AWAKE_NANOSECONDS;
    do {
        ssize_t n = recv(fd, buffer, length, MSG_DONTWAIT);
        if (n >= 0) return n;
        if (errno != EAGAIN) return -errno;
        sched_yield();
    } while (now_nanoseconds() < end);
    return clinux_read(fd, buffer, length, milliseconds);
}

ssize_t clinux_send(int fd, const void *buffer, size_t length) {
    ssize_t n;
    do n = send(fd, buffer, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}

int clinux_send_all(int fd, const void *buffer, size_t length, int milliseconds) {
    const char *at = buffer;
    while (length) {
        ssize_t n = clinux_send(fd, at, length);
        if (n == -EAGAIN) {
            int result = wait_for(fd, POLLOUT, milliseconds);
            if (result) return result;
            continue;
        }
        if (n < 0) return (int)n;
        at += n;
        length -= n;
    }
    return 0;
}

ssize_t clinux_send_descriptors(int fd, const void *buffer, size_t length, const int *fds, int fd_count) {
    if (fd_count < 1 || fd_count > 8) return -EINVAL;
    union { char bytes[CMSG_SPACE(8 * sizeof(int))]; struct cmsghdr align; } control;
    memset(&control, 0, sizeof control);
    struct iovec part = { (void *)buffer, length };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
                              .msg_controllen = CMSG_SPACE(fd_count * sizeof(int)) };
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
    memcpy(CMSG_DATA(c), fds, fd_count * sizeof(int));
    ssize_t n;
    do n = sendmsg(fd, &message, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}
