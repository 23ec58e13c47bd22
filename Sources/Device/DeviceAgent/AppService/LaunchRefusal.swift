import CLinux
import Foundation

/// Why a launched process did not become the app: the step that failed, and the system's error number.
///
/// A process that cannot take a step runs nothing of the app.
struct LaunchRefusal: Error, Equatable, CustomStringConvertible {
    /// The steps of the process before it becomes the app, in this order, and the agent's own: `release`.
    enum Step: CaseIterable {
        case cgroup, groups, namespaces, bounds, group, user, keyring, temporary, mounts, ending, isolation, descriptors
        case directory, program, release
    }

    let step: Step
    /// The system's error number.
    let number: Int32

    /// Whether the app's own user cannot come to its program.
    ///
    /// At any other step the same error number means that the agent lacks a right.
    var isOutOfReach: Bool { number == EACCES && (step == .directory || step == .program) }

    /// Whether the system did not finish a call of the process in time, which no signal interrupts.
    var isTooSlow: Bool { step == .release && number == ETIMEDOUT }

    /// For the administrator, who reads it in the agent's log.
    var description: String {
        guard !isTooSlow else {
            return "the app's process did not begin the app's program in time, so the agent has killed it. Look "
                + "whether the disk or the file server of the app's directory answers, and open the app again."
        }
        let why = unsafe String(cString: strerror(number))
        return "the app's process could not \(step.purpose): \(why). \(step.advice)"
    }
}

extension LaunchRefusal.Step {
    init(_ step: clinux_step) {
        self =
            switch step {
            case clinux_step_cgroup: .cgroup
            case clinux_step_groups: .groups
            case clinux_step_namespaces: .namespaces
            case clinux_step_bounds: .bounds
            case clinux_step_group: .group
            case clinux_step_user: .user
            case clinux_step_keyring: .keyring
            case clinux_step_temporary: .temporary
            case clinux_step_mounts: .mounts
            case clinux_step_ending: .ending
            case clinux_step_isolation: .isolation
            case clinux_step_descriptors: .descriptors
            case clinux_step_directory: .directory
            case clinux_step_program: .program
            default: .release
            }
    }

    fileprivate var purpose: String {
        switch self {
        case .cgroup: "enter its cgroup"
        case .groups: "leave the agent's groups"
        case .namespaces: "have a network and mounts of its own"
        case .bounds: "bound its processes and files"
        case .group: "take its own group"
        case .user: "take its own user"
        case .keyring: "make a keyring of its own"
        case .temporary: "make its directory for temporary files"
        case .mounts: "mount what it alone sees"
        case .ending: "be made to end with the agent"
        case .isolation: "be isolated"
        case .descriptors: "take its terminal and its socket"
        case .directory: "go to its directory"
        case .program: "run its program"
        case .release: "be let go"
        }
    }

    fileprivate var advice: String {
        switch self {
        case .cgroup: "The agent needs a cgroup that it may write to: keep Delegate=yes in its unit."
        case .namespaces:
            "The kernel and the agent's unit or container have to allow user namespaces: see user.max_user_namespaces and "
                + "kernel.apparmor_restrict_unprivileged_userns."
        case .bounds:
            "A filter of system calls forbids it: let the agent's unit or container call setrlimit and prlimit64."
        case .groups:
            "Give the agent CAP_SETGID. If it runs in a container, let that map the groups of --app-group and allow "
                + "setgroups."
        case .group:
            "Give the agent CAP_SETGID. If it runs in a container, let that map the numbers of apps' users, from "
                + "1900000000 on."
        case .user:
            "Give the agent CAP_SETUID. If it runs in a container, let that map the numbers of apps' users, from "
                + "1900000000 on."
        case .keyring: "The app's user may have too many keys: see kernel.keys.maxkeys."
        case .temporary: "Look whether the app's home belongs to the app's user, and whether its disk has room."
        case .mounts:
            "It takes Linux 5.12, a directory /run, and a system that lets user namespaces mount: on one with AppArmor see "
                + "kernel.apparmor_restrict_unprivileged_userns."
        case .ending, .release: "Open the app again."
        case .isolation: "The kernel has to have Landlock switched on, and no more than 16 layers of it are possible."
        case .descriptors: "Start the agent again, with a higher LimitNOFILE= in its unit if this returns."
        case .directory: "Look whether the app's directory is there."
        case .program:
            "Look whether the program is made for this machine, and its interpreter is there; an app that has as many "
                + "processes as it may gets no other, until --app-processes allows more."
        }
    }
}
