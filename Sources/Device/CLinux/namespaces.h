#pragma once
#include "CLinux.h"

// The agent's part of a launch, while the new process waits for it: gives the app's user to the namespace that the
// process has made. If the kernel refuses that, the process is sent the error number and reports it as its own. The
// result is 0, or an error number if the process cannot be reached in time.
int complete_namespaces(int32_t pid, uint32_t user, int gate, int milliseconds);

// The process's parts; each is 0 or an error number, and safe between fork and exec.
int wants_namespaces(const struct clinux_launch *launch);
int make_namespaces(const struct clinux_launch *launch);
// Has the agent do its part if `is_made`; otherwise only says that there is nothing to do.
int await_namespaces(int is_made, int gate);
int make_mounts(const struct clinux_launch *launch);
