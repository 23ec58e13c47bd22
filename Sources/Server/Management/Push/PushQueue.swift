import Synchronization

/// Whom Apple's push service has to wake: devices and groups, each once, however often they are named.
///
/// It is bounded. Beyond the bound the whole fleet is to be woken instead of single devices, so nothing is lost.
package final class PushQueue: Waker {
    /// What is to be done next.
    package enum Work: Sendable, Equatable {
        case devices([String])
        /// Devices whose enrollment has just ended: they learn it when they connect once more.
        case farewells([PushTarget])
        case group(String)
        /// All devices that are behind.
        case everyone
    }

    /// Devices and groups that wait at most.
    package static let most = 50_000

    private struct State {
        var isActive = false
        var devices: Set<String> = []
        var groups: Set<String> = []
        var farewells: [PushTarget] = []
        var everyone = false

        mutating func removeAll() { self = State(isActive: isActive) }
    }

    private let state = Mutex(State())
    private let most: Int
    /// Rings when there is work.
    package let bell = Bell()

    package init(most: Int = PushQueue.most) { self.most = most }

    /// Whether there is a credential, so that waking by push may reach a device.
    package var isActive: Bool {
        get { state.withLock { $0.isActive } }
        set {
            state.withLock { state in
                state.isActive = newValue
                if !newValue { state.removeAll() }
            }
        }
    }

    /// How many devices and groups wait.
    package var waiting: Int {
        state.withLock { $0.devices.count + $0.groups.count + $0.farewells.count + ($0.everyone ? 1 : 0) }
    }

    package func wake(_ deviceKey: String) { add { $0.devices.insert(deviceKey) } }

    package func changed(groups: [String]) { add { $0.groups.formUnion(groups) } }

    /// Every device that is behind is to be woken.
    package func wakeEveryone() { add { $0.everyone = true } }

    /// Devices whose enrollment has just ended; beyond the bound they learn it when they connect by themselves.
    package func sendFarewells(_ targets: [PushTarget]) {
        add { state in if state.farewells.count + targets.count <= most { state.farewells += targets } }
    }

    private func add(_ change: (inout State) -> Void) {
        let rings = state.withLock { state in
            guard state.isActive else { return false }
            change(&state)
            if state.devices.count + state.groups.count > most {
                (state.devices, state.groups, state.everyone) = ([], [], true)
            }
            return true
        }
        if rings { bell.ring() }
    }

    /// Takes what is to be done next: single devices first, at most `limit` of them.
    package func take(_ limit: Int) -> Work? {
        state.withLock { state in
            if !state.devices.isEmpty {
                let taken = Array(state.devices.prefix(limit))
                state.devices.subtract(taken)
                return .devices(taken)
            }
            if !state.farewells.isEmpty {
                let taken = Array(state.farewells.prefix(limit))
                state.farewells.removeFirst(taken.count)
                return .farewells(taken)
            }
            if let group = state.groups.popFirst() { return .group(group) }
            guard state.everyone else { return nil }
            state.everyone = false
            return .everyone
        }
    }
}
