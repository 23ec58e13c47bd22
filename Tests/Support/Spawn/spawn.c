#define _GNU_SOURCE
#include "Spawn.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

int32_t spawn_program(const char *path, char *const *arguments, char *const *environment, int input, int output) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    if (input < 0) posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    else posix_spawn_file_actions_adddup2(&files, input, 0);
    posix_spawn_file_actions_adddup2(&files, output, 1);
    posix_spawn_file_actions_adddup2(&files, output, 2);
    posix_spawn_file_actions_addclosefrom_np(&files, 3);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    pid_t process;
    int problem = posix_spawn(&process, path, &files, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return problem ? -problem : process;
}

int spawn_wait(int32_t process) {
    siginfo_t information;
    int result;
    do result = waitid(P_PID, (id_t)process, &information, WEXITED | WNOWAIT);
    while (result && errno == EINTR);
    return result ? -errno : 0;
}

int spawn_collect(int32_t process) {
    int status = 0;
    pid_t result;
    do result = waitpid(process, &status, 0);
    while (result < 0 && errno == EINTR);
    if (result < 0) return -SIGKILL;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}
