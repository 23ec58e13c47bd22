// The Linux calls that Swift cannot make by itself: variadic, macro-built, or unsafe between fork and exec.
// Every descriptor made here is closed on exec. Results below zero are negative errno values.
#pragma once
#include <stdint.h>
#include <stddef.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

// --- sockets ---------------------------------------------------------------------------------------------------

/// Who sent a message, as the kernel saw it at that moment; pid 0 when it did not say.
struct clinux_sender { int32_t pid; uint32_t uid; uint32_t gid; };

/// Both ends of a stream; the first gets non-blocking and credentials with every message.
int clinux_socket_pair(int *ours, int *theirs);

/// Listens at a path of any length, taking the place of what is there in one step.
int clinux_listen(const char *path, uint32_t mode);

/// Readies a socket that somebody else has listening, as `clinux_listen` readies its own.
int clinux_take_listener(int fd);

/// Connects to a path of any length; blocking.
int clinux_connect(const char *path);

/// Takes one connection, non-blocking, with credentials on every message; -EAGAIN when there is none.
int clinux_accept(int listener);

/// Whether the descriptor is a stream socket of this machine.
int clinux_is_local_stream(int fd);

/// How many descriptors the kernel lets one message have.
enum { clinux_most_descriptors = 253 };

/// Reads once without waiting, with the sender's credentials; the descriptors that came with it are the caller's to close.
///
/// There has to be room for `clinux_most_descriptors` of them.
ssize_t clinux_receive(int fd, void *buffer, size_t length, struct clinux_sender *sender, int *fds, int *fd_count);

/// Has the kernel refuse descriptors to whoever sends them to this socket, or to one accepted from it.
///
/// -ENOPROTOOPT before Linux 6.16.
int clinux_take_no_descriptors(int fd);

/// Closes descriptors that others made, or connections on which others may have left some.
///
/// A socket that lingers, or lies unread in a connection that is closed, holds up its closer for as long as its owner said:
/// this waits for none longer than a millisecond. A file of a file system in user space can still hold it up.
void clinux_close_at_once(const int *fds, int count);

/// Reads once, waiting at most `milliseconds` (forever when negative); -ETIMEDOUT when it took longer.
ssize_t clinux_read(int fd, void *buffer, size_t length, int milliseconds);

/// The same, without sleeping for the first tenth of a millisecond.
ssize_t clinux_read_awake(int fd, void *buffer, size_t length, int milliseconds);

/// Writes what fits without waiting and without SIGPIPE.
ssize_t clinux_send(int fd, const void *buffer, size_t length);

/// Writes everything, waiting at most `milliseconds` between two steps; 0 when done.
int clinux_send_all(int fd, const void *buffer, size_t length, int milliseconds);

/// Writes a first part together with up to eight descriptors.
ssize_t clinux_send_descriptors(int fd, const void *buffer, size_t length, const int *fds, int fd_count);

// --- processes -------------------------------------------------------------------------------------------------

/// Who connected, as the kernel knows now: `cgroup` is the inode of its directory, 0 where the kernel does not say.
/// With `by_number` the kernel is too old to hand out who connected: the process of that number was taken.
struct clinux_peer { int32_t pid; uint32_t uid; uint64_t cgroup; int pidfd; int by_number; };

/// Finds out who connected; the descriptor of the process is the caller's to close.
int clinux_peer(int fd, struct clinux_peer *peer);

/// A descriptor of a process.
int clinux_process_open(int32_t pid);

/// 1 while the process runs, 0 when it has ended.
int clinux_process_alive(int pidfd);

/// Sends a signal to exactly this process.
int clinux_process_signal(int pidfd, int signal);

/// Collects a child that has ended: 1 and its status or signal (the other is 0), 0 when it still runs, -ECHILD when not ours.
int clinux_process_collect(int pidfd, int *status, int *signal);

/// When a process started, in clock ticks since boot.
int clinux_process_start(int32_t pid, uint64_t *ticks);

/// The number of this boot, 36 characters.
int clinux_boot(char *text, size_t length);

/// What a launched process is given.
struct clinux_launch {
    const char *path;
    const char *directory;
    char *const _Nullable *_Nonnull arguments;     // ended by NULL
    char *const _Nullable *_Nonnull environment;   // ended by NULL
    int standard[3];                               // become 0, 1, 2
    const int *_Nullable descriptors;              // become 3 and what follows; everything above is closed
    size_t descriptor_count;                       // 16 at most
    int cgroup;                                    // a descriptor of its directory, or -1 to stay in ours
    uint32_t user;                                 // whom it runs as, with a group of the same number;
                                                   // clinux_same_user for our own
    const uint32_t *_Nullable groups;              // the other groups that it is in; only with a user of its own
    size_t group_count;
    int has_own_network;                           // whether it has a network of its own, with nothing in it; only with
                                                   // a user of its own
    char *const _Nullable *_Nonnull mount_paths;   // ended by NULL, 16 at most: where it alone has something mounted;
                                                   // only with a user of its own
    char *const _Nullable *_Nonnull mount_sources; // for each path what is seen there, or "" for a directory in memory
    const int *_Nullable mounts_read_only;         // for each path whether nothing can be changed there
    int rules;                                     // of Landlock, which bind it from its first program on, or -1
    const char *_Nullable temporary;               // a directory that it makes for itself first
    uint64_t processes;                            // how many processes and threads its user may have, or 0 for ours
    uint64_t open_files;                           // how many files each of its processes may have open, or 0 for ours
    uint64_t file_size;                            // how many bytes a file that it writes may have, or 0 for ours
    int ends_with_us;                              // whether it is killed when the thread ends that began it
    int milliseconds;                              // how long it is waited for until it has made its namespaces
};
static const uint32_t clinux_same_user = UINT32_MAX;

/// The steps of a launched process before it becomes the app, in this order. One part of `bounds` comes later: the
/// number of open files is bounded once the agent's files are closed.
enum clinux_step {
    clinux_step_cgroup,
    clinux_step_groups,
    clinux_step_namespaces,
    clinux_step_bounds,
    clinux_step_group,
    clinux_step_user,
    clinux_step_keyring,
    clinux_step_temporary,
    clinux_step_mounts,
    clinux_step_ending,
    clinux_step_isolation,
    clinux_step_descriptors,
    clinux_step_directory,
    clinux_step_program,
    clinux_step_release,     // the agent's own step: it lets the process through its gate
};

/// Lets this process have as many files open as it ever may; what it launches begins with as many as it did itself.
int clinux_open_more_files(void);

/// How many files this process may have open.
int clinux_open_files(void);

/// Forks a process that waits at a gate. Pass `gate` to `clinux_launch_release` to let it run, or close it to end it.
///
/// If that fails once there is a process, `pid` names it: it is killed, and has to be collected by `clinux_child_collect`.
int clinux_launch_begin(const struct clinux_launch *launch, int32_t *pid, int *pidfd, int *gate);

/// Collects a child that has ended: 1 when it is collected, or no child of ours; 0 when it still runs.
int clinux_child_collect(int32_t pid);

/// Lets a waiting process run; 0 once its program has begun, otherwise why not, and at which step. Closes the gate.
///
/// With -ETIMEDOUT at `clinux_step_release` the program has not begun in so many milliseconds, and may do so later: the
/// process has to be killed.
int clinux_launch_release(int gate, int milliseconds, enum clinux_step *step);

// --- isolation -------------------------------------------------------------------------------------------------

/// The kernel's version of Landlock, from 1 on; below zero where there is none, or it is switched off.
int clinux_landlock_version(void);

/// What may be done with a path and all below it: read it; run it, too; speak with devices; anything.
enum clinux_use { clinux_read_only, clinux_run, clinux_speak, clinux_own };

/// Rules by which nothing may be reached; 1 to `clinux_landlock_version`. What that version does not know is not ruled.
int clinux_landlock_open(int version);

/// Allows a use; -ENOENT where there is no such path.
int clinux_landlock_allow(int rules, int version, const char *path, enum clinux_use use);

// --- removal ---------------------------------------------------------------------------------------------------

/// Moves a name from a directory that only we may change into a room: a directory of ours alone, on the same disk.
int clinux_room_take(int from, const char *name, int room);

/// Removes at most so many of the names in a room and below: 0 once it was found empty, 1 when there may be more.
///
/// No link is followed and no other mount entered, whatever others change meanwhile. Neither depth nor number of
/// what lies there costs memory.
int clinux_room_empty(int room, int most);

// --- homes -----------------------------------------------------------------------------------------------------

/// Gives a home in a directory of ours, and all below it that has one user and group, to another; how many names it has.
///
/// Where both are the same it only counts. -E2BIG when there are more than `most`, or too deep ones; -ENOENT without a
/// home. What is not the old user's stays as it is, no link is followed and no other mount entered. Begun again, it ends.
int clinux_home_pass(int homes, const char *name, uint32_t from, uint32_t to, int most);

// --- programs --------------------------------------------------------------------------------------------------

/// A file at one moment: one that was written to, or another, differs in the first five.
struct clinux_file {
    uint64_t device, inode, size;
    int64_t changed, changed_nanoseconds;
    uint32_t owner, mode;
    /// How many names it has; a file that is removed while a process runs it has none.
    uint32_t links;
};

/// Opens what is no link, for reading, and says what it is.
int clinux_file_open(const char *path, struct clinux_file *file);

/// Says what is at a path, links themselves included.
int clinux_file_look(const char *path, struct clinux_file *file);

/// The file that a process runs, by what the kernel knows of it: a file system in user space is not asked.
int clinux_program_look(int32_t pid, struct clinux_file *file);

/// Whether a process is in our own process namespace: who is, is named by nobody in another one. Below zero: not to be told.
int clinux_process_is_in_our_namespace(int32_t pid);

/// Where that lies, as we would find it: the length, ended by NUL.
ssize_t clinux_program_path(int32_t pid, char *text, size_t length);

/// Has the kernel refuse every change of a file, and every block that is not what it is now (fs-verity).
///
/// -EOPNOTSUPP or -ENOTTY where its file system cannot; 0 if it does already.
int clinux_make_immutable(const char *path);

/// As whom a process acts, for kernels that do not say so of its descriptor.
int clinux_process_user(int32_t pid, uint32_t *user);

// --- waiting ---------------------------------------------------------------------------------------------------

int clinux_epoll_create(void);
int clinux_epoll_add(int epoll, int fd, uint64_t token, int reading, int writing);
int clinux_epoll_change(int epoll, int fd, uint64_t token, int reading, int writing);
int clinux_epoll_remove(int epoll, int fd);
/// Waits for up to 64 events, at most `milliseconds`; a token's readiness is 1 to read or hung up, 2 to write.
int clinux_epoll_wait(int epoll, uint64_t *tokens, uint32_t *readiness, int count, int milliseconds);

int clinux_event_create(void);
int clinux_event_signal(int event);
int clinux_event_clear(int event);

/// Notices names that appear in a directory.
int clinux_watch_directory(const char *path);
/// Notices names that go, and files that were written or changed their rights, too.
int clinux_watch_files(const char *path);
/// A watch of no directory yet.
int clinux_watch_create(void);
/// Adds a directory to a watch, which notices names that appear there or go, and that the directory goes; with `files` also
/// files that were written or changed their rights.
///
/// The result is the directory's number in the watch: the same if it was added before, and then what was asked adds up.
int clinux_watch_add(int watch, const char *path, int files);
/// Takes a directory out of a watch, by its number.
int clinux_watch_remove(int watch, int directory);
/// Reads without waiting what a watch noticed, as whole `struct inotify_event`s; -EAGAIN when there is nothing.
///
/// There has to be room for the longest of them: 272 bytes.
ssize_t clinux_watch_read(int watch, void *buffer, size_t length);
/// Waits until a watch notices something, at most `milliseconds`: 1 when it did. Without a watch (-1) only waits.
int clinux_watch_wait(int watch, int milliseconds);

/// Gathers signals for `clinux_signals_read` in place of what they would do; once per process.
int clinux_signals_open(const int *signals, int count);
/// The next signal, -EAGAIN when there is none.
int clinux_signals_read(int fd);

// --- terminals -------------------------------------------------------------------------------------------------

/// Makes a terminal with the settings and the size of another; the result is our end, which never waits.
///
/// `processes_output` says whether it turns line feeds into new lines, as terminals mostly do.
int clinux_terminal_make(int like, int processes_output, int *theirs);

/// Gives a terminal the size of another.
int clinux_terminal_resize(int terminal, int like);

// --- the agent's end, inherited --------------------------------------------------------------------------------

/// The descriptor the agent left us, once; -1 when there is none or it was taken.
int clinux_inherited_agent(void);
/// The path at which the agent can be reached again; NULL when we were not launched by it.
const char *_Nullable clinux_inherited_agent_path(void);

// --- files in memory -------------------------------------------------------------------------------------------

/// 1 when a path lies in memory alone (tmpfs or ramfs), 0 when it does not.
int clinux_in_memory(const char *path);

/// 1 when something is mounted on a directory, 0 when not.
int clinux_is_mounted_on(const char *path);

/// Mounts memory that is never swapped on a directory; everyone may pass through, only we may list and write.
int clinux_mount_memory(const char *path, uint64_t bytes, uint64_t files);

/// Takes a mount away; who has a file of it open keeps that.
int clinux_unmount(const char *path);

// --- memory ----------------------------------------------------------------------------------------------------

/// Overwrites the next 32 KiB of this thread's stack, where calls that have returned left what they worked with.
void clinux_wipe_stack(void);

#pragma clang assume_nonnull end
