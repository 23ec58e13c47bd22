// The floor under a secret's look-up: a call and a reply of 4 KiB between two processes over a local socket, in C,
// without a word being read, decoded or checked. `socket-floor COUNT` prints what one exchange takes.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALL = 100, REPLY = 4096 };

static int exchange(int fd, const char *out, size_t given, char *in, size_t wanted) {
    if (out && write(fd, out, given) != (ssize_t)given) return -1;
    for (size_t had = 0; had < wanted;) {
        ssize_t count = read(fd, in + had, wanted - had);
        if (count <= 0) return -1;
        had += (size_t)count;
    }
    return 0;
}

static void serve(int fd) {
    char call[CALL], reply[REPLY];
    memset(reply, 'x', sizeof reply);
    while (exchange(fd, NULL, 0, call, sizeof call) == 0) {
        if (write(fd, reply, sizeof reply) != (ssize_t)sizeof reply) return;
    }
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int ascending(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

int main(int count, char **arguments) {
    long rounds = count == 2 ? strtol(arguments[1], NULL, 10) : 0;
    if (rounds < 100 || rounds > 10000000) {
        fputs("usage: socket-floor COUNT\n", stderr);
        return 64;
    }
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        serve(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    if (child < 0) return 1;
    uint64_t *taken = calloc((size_t)rounds, sizeof *taken);
    char call[CALL], reply[REPLY];
    memset(call, 'c', sizeof call);
    for (long round = -1000; taken && round < rounds; round++) {
        uint64_t begun = now();
        if (exchange(ends[0], call, sizeof call, reply, sizeof reply) != 0) return 1;
        if (round >= 0) taken[round] = now() - begun;
    }
    close(ends[0]);
    waitpid(child, NULL, 0);
    if (!taken) return 1;
    qsort(taken, (size_t)rounds, sizeof *taken, ascending);
    printf("{\"p50\": %.2f, \"p99\": %.2f}\n", (double)taken[rounds / 2] / 1e3, (double)taken[rounds * 99 / 100] / 1e3);
    return 0;
}
