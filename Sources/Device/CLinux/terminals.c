#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#ifndef TIOCGPTPEER
#define TIOCGPTPEER _IO('T', 0x41)
#endif

int clinux_terminal_resize(int terminal, int like) {
    struct winsize size;
    if (ioctl(like, TIOCGWINSZ, &size)) return -errno;
    return ioctl(terminal, TIOCSWINSZ, &size) ? -errno : 0;
}

static int make_like(int ours, int like, int processes_output) {
    struct termios settings;
    if (grantpt(ours) || unlockpt(ours) || tcgetattr(like, &settings)) return -errno;
    if (!processes_output) settings.c_oflag &= ~(tcflag_t)OPOST;
    int theirs = ioctl(ours, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (theirs < 0) return -errno;
    if (tcsetattr(theirs, TCSANOW, &settings) || fcntl(ours, F_SETFL, O_NONBLOCK)) {
        int problem = errno;
        close(theirs);
        return -problem;
    }
    // A terminal that does not know its size is as good as this one.
    clinux_terminal_resize(ours, like);
    return theirs;
}

int clinux_terminal_make(int like, int processes_output, int *theirs) {
    int ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (ours < 0) return -errno;
    int made = make_like(ours, like, processes_output);
    if (made < 0) {
        close(ours);
        return made;
    }
    *theirs = made;
    return ours;
}
