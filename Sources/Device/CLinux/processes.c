#define _GNU_SOURCE
#include "CLinux.h"
#include "namespaces.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_landlock_restrict_self
#define SYS_landlock_restrict_self 446
#endif
#define WAIT_BY_PIDFD 3
// As in linux/keyctl.h, which the system may not have.
#define JOIN_SESSION_KEYRING 1

// As in the kernel's own header since 6.13; older kernels refuse the call.
struct pidfd_information {
    uint64_t mask, cgroup;
    uint32_t pid, tgid, ppid, ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
    int32_t exit_code;
    uint32_t coredump_mask, spare;
};
#define PIDFD_INFORMATION _IOWR(0xFF, 11, struct pidfd_information)
#define PIDFD_ASK_PID 1
#define PIDFD_ASK_CREDENTIALS 2
#define PIDFD_ASK_CGROUP 4

int clinux_process_open(int32_t pid) {
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    return fd < 0 ? -errno : fd;
}

int clinux_peer(int fd, struct clinux_peer *peer) {
    struct ucred who;
    socklen_t length = sizeof who;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &length)) return -errno;
    if (who.pid <= 0) return -ESRCH;
    *peer = (struct clinux_peer){ .pid = who.pid, .uid = who.uid, .pidfd = -1 };
    int process = -1;
    length = sizeof process;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &process, &length)) {
        // Kernels before 6.5: by number. Both times are of one process, and the descriptor was opened in between.
        if (errno != ENOPROTOOPT) return -errno;
        uint64_t before, after;
        int problem = clinux_process_start(who.pid, &before);
        if (problem) return problem;
        process = clinux_process_open(who.pid);
        if (process < 0) return process;
        problem = clinux_process_start(who.pid, &after);
        if (problem || before != after) {
            close(process);
            return problem ? problem : -ESRCH;
        }
        peer->by_number = 1;
    }
    int is_told = 0;
    if (!peer->by_number) {
        struct pidfd_information information = { .mask = PIDFD_ASK_PID | PIDFD_ASK_CREDENTIALS | PIDFD_ASK_CGROUP };
        if (ioctl(process, PIDFD_INFORMATION, &information) == 0) {
            peer->pid = (int32_t)information.tgid;
            if (information.mask & PIDFD_ASK_CGROUP) peer->cgroup = information.cgroup;
            // Who has become somebody else since, by starting a privileged program, is neither the one nor the other.
            is_told = (information.mask & PIDFD_ASK_CREDENTIALS) != 0;
            if (is_told && information.euid != who.uid) {
                close(process);
                return -EPERM;
            }
        }
    }
    uint32_t now;
    if (!is_told && (clinux_process_user(peer->pid, &now) || now != who.uid)) {
        close(process);
        return -EPERM;
    }
    peer->pidfd = process;
    return 0;
}

int clinux_process_alive(int pidfd) {
    struct pollfd p = { pidfd, POLLIN, 0 };
    int n;
    do n = poll(&p, 1, 0);
    while (n < 0 && errno == EINTR);
    return n == 0;
}

int clinux_process_signal(int pidfd, int signal) {
    return syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0) ? -errno : 0;
}

int clinux_process_collect(int pidfd, int *status, int *signal) {
    siginfo_t information;
    memset(&information, 0, sizeof information);
    if (waitid((idtype_t)WAIT_BY_PIDFD, (id_t)pidfd, &information, WEXITED | WNOHANG)) return -errno;
    if (information.si_pid == 0) return 0;
    *status = information.si_code == CLD_EXITED ? information.si_status : 0;
    *signal = information.si_code == CLD_EXITED ? 0 : information.si_status;
    return 1;
}

int clinux_process_start(int32_t pid, uint64_t *ticks) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -errno;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0) return -EIO;
    text[n] = 0;
    // The program's name may hold anything, brackets too: the fields begin after the last one.
    char *at = strrchr(text, ')');
    if (!at) return -EIO;
    at++;
    for (int field = 2; field < 21; field++) {
        at = strchr(at + 1, ' ');
        if (!at) return -EIO;
    }
    errno = 0;
    char *end;
    *ticks = strtoull(at, &end, 10);
    return errno || end == at ? -EIO : 0;
}

int clinux_boot(char *text, size_t length) {
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -errno;
    ssize_t n = read(fd, text, length - 1);
    close(fd);
    if (n <= 0) return -EIO;
    text[n] = 0;
    text[strcspn(text, "\n")] = 0;
    return 0;
}

// What we began with, once we have more: programs that still use select() break beyond it.
static struct rlimit files_before;
static int has_more_files;

int clinux_open_more_files(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit)) return -errno;
    struct rlimit more = { limit.rlim_max, limit.rlim_max };
    if (setrlimit(RLIMIT_NOFILE, &more)) return -errno;
    if (!has_more_files) files_before = limit;
    has_more_files = 1;
    return 0;
}

int clinux_open_files(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit)) return -errno;
    return limit.rlim_cur > INT_MAX ? INT_MAX : (int)limit.rlim_cur;
}

// The session's keys of the agent, and of whoever started it, are not the app's: what has a keyring may use it, whoever
// its user is. A kernel without keys has none to keep apart; where a filter of system calls forbids this one, it
// forbids the app to reach keys, too.
static int leave_keyring(void) {
    if (syscall(SYS_keyctl, JOIN_SESSION_KEYRING, NULL) >= 0) return 0;
    return errno == ENOSYS || errno == EPERM ? 0 : errno;
}

// The step that failed, with the system's error number: 0 while none has.
struct problem {
    enum clinux_step step;
    int32_t number;
};

static struct problem at(enum clinux_step step, int number) { return (struct problem){ step, number }; }

// Lowers a bound to `most`, and never raises it; 0 leaves it as it is.
static int lower(int resource, uint64_t most) {
    struct rlimit limit;
    if (!most) return 0;
    if (getrlimit(resource, &limit)) return errno;
    if (limit.rlim_max > most) limit.rlim_max = most;
    if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
    return setrlimit(resource, &limit) ? errno : 0;
}

static int join(int cgroup) {
    int members = openat(cgroup, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    if (members < 0) return errno;
    ssize_t n = write(members, "0", 1);
    int number = n == 1 ? 0 : errno;
    close(members);
    return number;
}

// Its processes are bounded by its user where no cgroup bounds them; its files have no other bound of size.
static int bound(const struct clinux_launch *launch) {
    int number = lower(RLIMIT_NPROC, launch->processes);
    return number ? number : lower(RLIMIT_FSIZE, launch->file_size);
}

// Into the app's own cgroup while that is still allowed, into its groups, and into namespaces of its own if it is to
// have some: in those it can no longer choose groups of the machine.
static struct problem leave(const struct clinux_launch *launch) {
    int is_ours = launch->user == clinux_same_user;
    int number = launch->cgroup >= 0 ? join(launch->cgroup) : 0;
    if (number) return at(clinux_step_cgroup, number);
    if (is_ours && launch->group_count) return at(clinux_step_groups, EINVAL);
    // The raw call: the C library's would tell threads that this child does not have.
    if (!is_ours && syscall(SYS_setgroups, launch->group_count, launch->groups)) return at(clinux_step_groups, errno);
    if (!wants_namespaces(launch)) return at(clinux_step_namespaces, 0);
    return at(clinux_step_namespaces, is_ours ? EINVAL : make_namespaces(launch));
}

// Out of every right of ours. Its bounds come after its namespaces: on some kernels a user namespace keeps its maker's
// bound on processes, and counts the maker's own, which is root and may have more than an app may.
static struct problem enter(const struct clinux_launch *launch) {
    int number = bound(launch);
    if (number) return at(clinux_step_bounds, number);
    if (launch->user == clinux_same_user) return at(clinux_step_keyring, leave_keyring());
    // Raw calls here, too.
    if (syscall(SYS_setresgid, launch->user, launch->user, launch->user)) return at(clinux_step_group, errno);
    if (syscall(SYS_setresuid, launch->user, launch->user, launch->user)) return at(clinux_step_user, errno);
    // The new keyring is the app's own: it counts among its user's.
    number = leave_keyring();
    if (number) return at(clinux_step_keyring, number);
    umask(077);
    if (launch->temporary && mkdir(launch->temporary, 0700) && errno != EEXIST) {
        return at(clinux_step_temporary, errno);
    }
    return at(clinux_step_mounts, make_mounts(launch));
}

// For ever, for this process and all that it starts.
static int bind_to_rules(int rules) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return errno;
    return rules >= 0 && syscall(SYS_landlock_restrict_self, rules, 0) ? errno : 0;
}

#define MOST_DESCRIPTORS 16

// The agent writes programs, too. A process that another of its threads starts meanwhile has their files open until its own
// program begins, and what is open for writing cannot be executed. Returns only when it cannot be executed for two seconds,
// or for another reason.
static int execute(const struct clinux_launch *launch) {
    const struct timespec pause = { .tv_nsec = 10000000 };
    for (int tries = 0;; tries++) {
        execve(launch->path, (char *const *)launch->arguments, (char *const *)launch->environment);
        if (errno != ETXTBSY || tries == 200) return errno;
        nanosleep(&pause, NULL);
    }
}

// What the new process does: only calls that are safe between fork and exec.
static _Noreturn void become(const struct clinux_launch *launch, int gate) {
    for (int signal = 1; signal < NSIG; signal++) {
        struct sigaction standard = { .sa_handler = SIG_DFL };
        sigaction(signal, &standard, NULL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();

    struct problem problem = leave(launch);
    if (wants_namespaces(launch)) {
        int number = await_namespaces(!problem.number, gate);
        if (!problem.number) problem = at(clinux_step_namespaces, number);
    }
    if (!problem.number) problem = enter(launch);
    // Who began it may have ended before: then nobody lets it through the gate.
    if (!problem.number && launch->ends_with_us && prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)) {
        problem = at(clinux_step_ending, errno);
    }
    if (!problem.number) problem = at(clinux_step_isolation, bind_to_rules(launch->rules));
    int count = (int)launch->descriptor_count;
    int moved[3 + MOST_DESCRIPTORS + 1];
    if (!problem.number && launch->descriptor_count > MOST_DESCRIPTORS) problem = at(clinux_step_descriptors, E2BIG);
    if (!problem.number) {
        // First above everything that is about to be overwritten, then down.
        for (int i = 0; i < count + 4 && !problem.number; i++) {
            int one = i < 3 ? launch->standard[i] : i < count + 3 ? launch->descriptors[i - 3] : gate;
            moved[i] = fcntl(one, F_DUPFD_CLOEXEC, 3 + MOST_DESCRIPTORS + 1);
            if (moved[i] < 0) problem = at(clinux_step_descriptors, errno);
        }
    }
    if (!problem.number) {
        for (int i = 0; i < count + 3 && !problem.number; i++) {
            if (dup2(moved[i], i) < 0) problem = at(clinux_step_descriptors, errno);
        }
        if (!problem.number && dup3(moved[count + 3], count + 3, O_CLOEXEC) < 0) {
            problem = at(clinux_step_descriptors, errno);
        }
        gate = problem.number ? moved[count + 3] : count + 3;
    }
    if (!problem.number && syscall(SYS_close_range, (unsigned)count + 4, ~0U, 0U) && errno != ENOSYS) {
        problem = at(clinux_step_descriptors, errno);
    }

    // If no step failed, nothing of the agent's is held from here on: no lock, no file, no other app's socket.
    char word = 0;
    ssize_t n;
    do n = read(gate, &word, 1);
    while (n < 0 && errno == EINTR);
    if (n != 1 || word != 'g') _exit(127);

    // Not earlier: until the agent's files are closed, descriptors may have numbers above the app's bound.
    if (!problem.number && has_more_files && setrlimit(RLIMIT_NOFILE, &files_before)) {
        problem = at(clinux_step_bounds, errno);
    }
    if (!problem.number) problem = at(clinux_step_bounds, lower(RLIMIT_NOFILE, launch->open_files));
    if (!problem.number && chdir(launch->directory)) problem = at(clinux_step_directory, errno);
    if (!problem.number) problem = at(clinux_step_program, execute(launch));
    do n = write(gate, &problem, sizeof problem);
    while (n < 0 && errno == EINTR);
    _exit(127);
}

int clinux_launch_begin(const struct clinux_launch *launch, int32_t *pid, int *pidfd, int *gate) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return -errno;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = _Fork();
    if (child == 0) {
        close(ends[0]);
        become(launch, ends[1]);
    }
    int problem = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return -problem;
    }
    *pid = child;
    int process = clinux_process_open(child);
    problem = process < 0 ? -process : 0;
    if (!problem && wants_namespaces(launch)) {
        problem = complete_namespaces(child, launch->user, ends[0], launch->milliseconds);
    }
    if (problem) {
        // It may hang before its gate, so that the end of that does not end it. Who collects it must not wait for it here:
        // the system may keep even a killed process for as long as a disk or a server of files does not answer.
        close(ends[0]);
        if (process >= 0) close(process);
        kill(child, SIGKILL);
        return -problem;
    }
    *pidfd = process;
    *gate = ends[0];
    return 0;
}

int clinux_child_collect(int32_t pid) {
    pid_t collected;
    do collected = waitpid(pid, NULL, WNOHANG);
    while (collected < 0 && errno == EINTR);
    return collected != 0;
}

static int64_t milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Waits until something can be read, or the other end is closed: 0, or an error number.
static int await_word(int gate, int milliseconds) {
    int64_t end = milliseconds_now() + milliseconds;
    while (1) {
        int64_t rest = end - milliseconds_now();
        struct pollfd p = { gate, POLLIN, 0 };
        int ready = poll(&p, 1, rest > 0 ? (int)rest : 0);
        if (ready > 0) return 0;
        if (ready == 0) return ETIMEDOUT;
        if (errno != EINTR) return errno;
    }
}

int clinux_launch_release(int gate, int milliseconds, enum clinux_step *step) {
    struct problem problem = at(clinux_step_release, 0);
    ssize_t n = send(gate, "g", 1, MSG_NOSIGNAL);
    if (n != 1) {
        problem.number = errno;
    } else if ((problem.number = await_word(gate, milliseconds)) == 0) {
        // Nothing comes once the program has begun: its end of the gate is closed by that.
        do n = read(gate, &problem, sizeof problem);
        while (n < 0 && errno == EINTR);
        if (n < 0) problem = at(clinux_step_release, errno);
        else if (n > 0 && n < (ssize_t)sizeof problem) problem = at(clinux_step_release, EIO);
    }
    close(gate);
    *step = problem.step;
    return -problem.number;
}
