import CLinux
import Foundation

/// All that a launched process is given before it becomes the app.
///
/// It is taken between `fork` and `exec`, in the order of `LaunchRefusal.Step`. A process that cannot take it runs nothing
/// of the app.
struct LaunchSpecification {
    enum Network {
        /// The agent's, so the machine's.
        case machines
        /// One of its own, with nothing in it.
        case own
    }

    let program: String
    let directory: String
    let arguments: [String]
    var environment: [String: String]
    /// Its input, output and error output.
    let standard: (Int32, Int32, Int32)
    /// A descriptor of its cgroup; the agent's if there is none.
    var cgroup: Int32?
    /// Its user, and the group of the same number; the agent's if there is none.
    ///
    /// `groups`, `network` and `mounts` need one.
    var user: UInt32?
    /// The other groups that it is in.
    var groups: [UInt32] = []
    var limits: AppLimits?
    var network = Network.machines
    /// What it alone sees mounted, in this order.
    var mounts: [LaunchMount] = []
    /// A directory that it makes for itself.
    var temporary: String?
    /// A descriptor of the Landlock rules that bind it.
    var rules: Int32?
    /// Whether it is killed when the agent's thread ends.
    var endsWithAgent = false

    /// The descriptors that become 3 and what follows.
    private(set) var descriptors: [Int32] = []

    init(
        program: String, directory: String, arguments: [String], environment: [String: String],
        standard: (Int32, Int32, Int32)
    ) {
        self.program = program
        self.directory = directory
        self.arguments = arguments
        self.environment = environment
        self.standard = standard
    }

    /// Hands over a descriptor, whose number in the app the variable says.
    mutating func hand(_ descriptor: Int32, as variable: String) {
        environment[variable] = String(3 + descriptors.count)
        descriptors.append(descriptor)
    }

    /// Starts a process that has all this and waits; one that cannot be given it, or not as long as `bound`, goes to the
    /// reaper.
    func begin(
        reaper: LaunchReaper = LaunchReaper(), within bound: Duration = LaunchPatience.most
    ) throws(LinuxFailure) -> WaitingLaunch {
        var process: Int32 = -1
        var descriptor: Int32 = -1
        var gate: Int32 = -1
        let begun = unsafe withLaunch(within: bound) { launch in
            unsafe clinux_launch_begin(launch, &process, &descriptor, &gate)
        }
        if begun < 0, process > 0 { reaper.collect(process) }
        try LinuxFailure.check(begun, "start the app's process")
        return WaitingLaunch(process: process, descriptor: descriptor, gate: gate)
    }

    private func withLaunch(within bound: Duration, _ body: (UnsafePointer<clinux_launch>) -> Int32) -> Int32 {
        unsafe withCStrings([program, directory] + [temporary].compactMap(\.self)) { paths in
            unsafe withCStrings([program] + arguments) { arguments in
                unsafe withCStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
                    unsafe withCStrings(mounts.map(\.path)) { mountPaths in
                        unsafe withCStrings(mounts.map { $0.source ?? "" }) { mountSources in
                            guard let path = unsafe paths[0], let directory = unsafe paths[1] else { return -ENOMEM }
                            return unsafe withNumbers { descriptors, groups, areReadOnly in
                                var launch = unsafe clinux_launch(
                                    path: path, directory: directory, arguments: arguments, environment: environment,
                                    standard: standard, descriptors: descriptors,
                                    descriptor_count: self.descriptors.count, cgroup: cgroup ?? -1,
                                    user: user ?? clinux_same_user, groups: groups, group_count: self.groups.count,
                                    has_own_network: network == .own ? 1 : 0,
                                    mount_paths: mountPaths, mount_sources: mountSources,
                                    mounts_read_only: areReadOnly, rules: rules ?? -1,
                                    // The end of the list if it makes no directory.
                                    temporary: paths[2], processes: limits?.processes ?? 0,
                                    open_files: limits?.openFiles ?? 0, file_size: limits?.fileSize ?? 0,
                                    ends_with_us: endsWithAgent ? 1 : 0, milliseconds: bound.wholeMilliseconds)
                                return unsafe body(&launch)
                            }
                        }
                    }
                }
            }
        }
    }

    private func withNumbers(
        _ body: (UnsafePointer<Int32>?, UnsafePointer<UInt32>?, UnsafePointer<Int32>?) -> Int32
    ) -> Int32 {
        let areReadOnly = mounts.map { mount -> Int32 in mount.isReadOnly ? 1 : 0 }
        return unsafe descriptors.withUnsafeBufferPointer { descriptors in
            unsafe groups.withUnsafeBufferPointer { groups in
                unsafe areReadOnly.withUnsafeBufferPointer { areReadOnly in
                    unsafe body(descriptors.baseAddress, groups.baseAddress, areReadOnly.baseAddress)
                }
            }
        }
    }
}

/// A process that waits at its gate, and runs nothing of the app's yet.
struct WaitingLaunch {
    let process: Int32
    let descriptor: Int32
    /// Has to be closed if the process is not to run.
    let gate: Int32

    /// Lets it become the app, and waits for that as long as `bound`; closes the gate.
    ///
    /// If it fails the process may become the app later, unless it is killed.
    func release(within bound: Duration = LaunchPatience.most) throws(LaunchRefusal) {
        var step = clinux_step_release
        let released = unsafe clinux_launch_release(gate, bound.wholeMilliseconds, &step)
        guard released >= 0 else { throw LaunchRefusal(step: LaunchRefusal.Step(step), number: -released) }
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int32 { Int32(min(max(self / .milliseconds(1), 0), 1e9)) }
}

// Lends an array of C strings, ended by NULL.
private func withCStrings(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
) -> Int32 {
    let copies = unsafe strings.map { unsafe strdup($0) }
    defer { unsafe copies.forEach { unsafe free($0) } }
    return unsafe (copies + [nil]).withUnsafeBufferPointer { buffer in
        guard let start = buffer.baseAddress else { preconditionFailure("an array with an end is never empty") }
        return unsafe body(start)
    }
}
