/// What of its caller's environment an app is given.
enum AppEnvironment {
    // What the C library itself drops for privileged programs: each can bring foreign code or files into a process.
    static let dropped: Set<String> = [
        "GCONV_PATH", "GETCONF_DIR", "GLIBC_TUNABLES", "HOSTALIASES", "LOCALDOMAIN", "LOCPATH", "MARTLET_FILES",
        "NIS_PATH", "NLSPATH", "RESOLV_HOST_CONF", "RES_OPTIONS", "TMPDIR", "TZDIR",
    ]
    static let droppedPrefixes = ["LD_", "MALLOC_", "MARTLET_AGENT_"]

    // A call is one frame of 64 KiB; with these, environment and arguments always fit.
    static let longestVariable = 4_096
    static let longestWhole = 32_768

    /// What an app is given of the environment of the person who opens it.
    ///
    /// Interpreters and shells take code from variables, and search `PATH` for it. Who opens an app may be its user and
    /// nobody it has to trust, so only root, who could do otherwise anyway, has a say in all of them.
    static func passed(_ environment: [String: String], by user: UInt32) -> [String: String] {
        guard !ControlConnection.isTrusted(user) else { return environment }
        var variables = environment.filter { SpokenVariable.isPassed($0.key, $0.value) }
        variables["PATH"] = "/usr/local/bin:/usr/bin:/bin"
        return variables
    }

    // Where a person keeps things; an app with a user of its own cannot go there.
    private static let personal: Set<String> = [
        "HOME", "LOGNAME", "MAIL", "OLDPWD", "USER", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
        "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
    ]

    /// Leaves out what could bring foreign code into the app, what is malformed and what is too long.
    ///
    /// An app with a user of its own is at home at `home`.
    static func filter(_ environment: [String: String], at home: String? = nil) -> [String: String] {
        guard let home else { return filtered(environment) }
        var variables = filtered(environment.filter { !personal.contains($0.key) })
        variables["HOME"] = home
        return variables
    }

    private static func filtered(_ environment: [String: String]) -> [String: String] {
        var left = longestWhole
        var kept: [String: String] = [:]
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) {
            let length = name.utf8.count + value.utf8.count + 2
            guard isAllowed(name), !value.utf8.contains(0), length <= longestVariable, length <= left else { continue }
            left -= length
            kept[name] = value
        }
        return kept
    }

    /// Whether a name is one that an app may be given.
    static func isAllowed(_ name: String) -> Bool {
        !name.isEmpty && !name.utf8.contains(0) && !name.utf8.contains(UInt8(ascii: "="))
            && !dropped.contains(name) && !droppedPrefixes.contains { name.hasPrefix($0) }
    }
}
