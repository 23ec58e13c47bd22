import Foundation

/// Something that a launched process alone sees mounted at a path.
struct LaunchMount: Equatable {
    /// Where it is seen: a directory that is there, or lies in one in memory that is mounted before.
    let path: String
    /// The directory that is seen there, with all that is mounted below; an empty one in memory if there is none.
    var source: String?
    /// Whether nothing can be changed there.
    let isReadOnly: Bool
}

extension LaunchMount {
    // Where the system's services have their sockets, among them those that ask the network for others.
    private static let services = "/run"

    /// Mounts among which a process finds nothing of `/run` but what it is given there: `kept` to read, `own` to change.
    static func withoutServices(keeping kept: [String], own: [String]) -> [LaunchMount] {
        var given: [String: Bool] = [:]
        for path in kept { given[real(path)] = true }
        for path in own { given[real(path)] = false }
        // In this order a directory comes before what lies in it.
        let below = given.filter { $0.key.hasPrefix(services + "/") }.sorted { $0.key < $1.key }
        return [LaunchMount(path: services, isReadOnly: true)]
            + below.map { LaunchMount(path: $0.key, source: $0.key, isReadOnly: $0.value) }
    }

    private static func real(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
}
