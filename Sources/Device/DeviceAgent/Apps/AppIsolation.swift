import CLinux
import Foundation

/// Which apps are kept from the rest of the device's files.
package enum AppIsolation: String, Sendable {
    /// Those whose `Info.plist` asks for it.
    case asked
    /// All.
    case always
}

/// What an isolated app may reach: the system's programs, itself and its home.
///
/// The kernel's Landlock keeps it to that.
struct IsolationRules: Equatable {
    /// A path, and what may be done with it and all below.
    struct Rule: Equatable {
        let path: String
        let use: Use
        /// Whether the app does without where the path is not there.
        var isOptional = false
    }

    enum Use { case read, run, speak, own }

    let rules: [Rule]

    /// For an app that is at home at `home` and finds its files in `folder`.
    init(_ bundle: AppBundle, home: String, folder: String?, roots: String? = nil) {
        var rules = Self.system
        // Software of the system has no directory of its own, only its program.
        let own = bundle.directory == "/" ? bundle.executable : bundle.directory
        rules.append(Rule(path: own, use: .run))
        rules.append(Rule(path: home, use: .own))
        if let folder { rules.append(Rule(path: folder, use: .read)) }
        // The directory: the file is replaced whenever the roots change.
        if let roots { rules.append(Rule(path: (roots as NSString).deletingLastPathComponent, use: .read)) }
        self.rules = rules
    }

    /// The rules as the kernel takes them: a descriptor to be closed.
    ///
    /// They are made anew for each launch, so that what is replaced by an update of the system is known again.
    func open(version: Int32 = clinux_landlock_version()) throws -> Int32 {
        guard version >= 1 else { throw ControlMessages.notIsolated }
        let descriptor = try LinuxFailure.check(clinux_landlock_open(version), "make the app's isolation")
        do {
            for rule in rules {
                let result = unsafe clinux_landlock_allow(descriptor, version, rule.path, rule.use.name)
                if rule.isOptional, result == -ENOENT { continue }
                try LinuxFailure.check(result, "make the app's isolation")
            }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    // No directory in which people, services or other apps keep something, and none that everybody may write to.
    private static let system: [Rule] =
        ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"].map { Rule(path: $0, use: .run, isOptional: true) }
        + [
            "/etc", "/proc", "/sys/devices/system/cpu", "/var/cache/fontconfig",
            // Where /etc/resolv.conf leads.
            "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager",
        ].map { Rule(path: $0, use: .read, isOptional: true) }
        + [
            "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts",
        ].map { Rule(path: $0, use: .speak, isOptional: true) }
}

extension IsolationRules.Use {
    var name: clinux_use {
        switch self {
        case .read: clinux_read_only
        case .run: clinux_run
        case .speak: clinux_speak
        case .own: clinux_own
        }
    }
}
