#define _GNU_SOURCE
#include "CLinux.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

static _Atomic int inherited = -1;
static char *path;

// Runs before `main`, while there is one thread: afterwards the environment could not be changed safely. Whatever the
// app starts later inherits neither the descriptor nor the names. With a priority, so that other constructors of ours,
// which have none, come later and can ask for them.
__attribute__((constructor(1000))) static void take_inherited(void) {
    const char *number = getenv("MARTLET_AGENT_FD");
    const char *place = getenv("MARTLET_AGENT_SOCKET");
    if (number) {
        char *end;
        long fd = strtol(number, &end, 10);
        if (end != number && *end == 0 && fd > 2 && fd < 1024 && clinux_is_local_stream((int)fd)
            && fcntl((int)fd, F_SETFD, FD_CLOEXEC) == 0) {
            inherited = (int)fd;
            // It will hold secrets: a crash leaves no image of them, and other processes of its user cannot look in.
            prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
        }
    }
    // Who starts a privileged program has no say in it.
    if (place && place[0] == '/' && secure_getenv("MARTLET_AGENT_SOCKET")) {
        path = strdup(place);
        prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    }
    unsetenv("MARTLET_AGENT_FD");
    unsetenv("MARTLET_AGENT_SOCKET");
}

int clinux_inherited_agent(void) { return atomic_exchange(&inherited, -1); }

const char *clinux_inherited_agent_path(void) { return path; }
