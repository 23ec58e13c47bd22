#define _GNU_SOURCE
#include "WipedMemory.h"
#ifdef __linux__
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#endif

void forbid_core_dumps(void) {
#ifdef __linux__
    // A program that gathers dumps through a pipe ignores the limit; only the second call stops it.
    struct rlimit none = { 0, 0 };
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    // Swift's own handlers print what the registers point to.
    static const int crashes[] = { SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP };
    struct sigaction standard = { .sa_handler = SIG_DFL };
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) sigaction(crashes[i], &standard, NULL);
#endif
}
