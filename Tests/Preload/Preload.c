// A library that is loaded into a program it does not belong to, and asks for the program's password there.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char ask[] = "{\"method\":\"dev.martlet.App.GetPassword\",\"parameters\":{\"identifier\":\"account\"}}";

static ssize_t exchange(int fd, const char *call, char *reply, size_t room) {
    if (write(fd, call, strlen(call) + 1) < 0) return -1;
    size_t got = 0;
    while (got + 1 < room) {
        ssize_t n = read(fd, reply + got, room - 1 - got);
        if (n <= 0) return -1;
        got += (size_t)n;
        if (reply[got - 1] == 0) return (ssize_t)got;
    }
    return -1;
}

__attribute__((constructor)) static void begin(void) {
    const char *place = getenv("MARTLET_PRELOAD_SOCKET");
    if (!place) return;
    unsetenv("MARTLET_PRELOAD_SOCKET");
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    if (strlen(place) >= sizeof to.sun_path) return;
    strcpy(to.sun_path, place);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char reply[65536], call[1024];
    const char *told = "hung up";
    if (connect(fd, (struct sockaddr *)&to, sizeof to) == 0 && exchange(fd, ask, reply, sizeof reply) > 0) {
        char *challenge = strstr(reply, "\"challenge\":\"");
        if (challenge) {
            challenge += strlen("\"challenge\":\"");
            challenge[strcspn(challenge, "\"")] = 0;
            snprintf(call, sizeof call, "{\"method\":\"dev.martlet.App.Identify\",\"parameters\":{\"challenge\":\"%s\"}}",
                     challenge);
            if (exchange(fd, call, reply, sizeof reply) < 0 || exchange(fd, ask, reply, sizeof reply) < 0) reply[0] = 0;
        }
        told = reply;
    }
    close(fd);
    printf("preload: %s\n", told);
    fflush(stdout);
}
