import DeviceMessages
package import Foundation

/// An entry of a device's history: a declaration was announced, was fetched or is held, or an app reported on it.
package struct DeviceHistoryEntry: Sendable, Equatable {
    /// Words that the events of the same have, too.
    package enum Kind: String, Sendable, CaseIterable {
        /// The device acknowledged that there is something else for it.
        case tell = "device.tell"
        /// It fetched the list of what it is given.
        case fetch = "device.fetch"
        /// It reported that it holds a version of a configuration.
        case hold = "device.hold"
        /// It reported on exactly what it is given.
        case settle = "device.settle"
        /// An app refuses its configuration.
        case refuse = "device.refuse"
        /// A refusal stands no more.
        case accept = "device.accept"
        /// A new enrollment took the place of the device's own.
        case replace = "device.replace"
        /// Another machine asked to be enrolled as the device, and was refused.
        case refuseEnrollment = "device.enroll-refuse"
    }

    /// The most that are kept of a device, and for how many days.
    package static let most = 200
    package static let days = 30

    package let number: Int
    package let time: Date
    package let kind: Kind
    /// Of the declarations that it is about, where it is about all of them.
    package let token: String?
    package let app: String?
    package let configuration: String?
    package let version: Int?

    package init(
        number: Int, time: Date, kind: Kind, token: String? = nil, app: String? = nil, configuration: String? = nil,
        version: Int? = nil
    ) {
        self.number = number
        self.time = time
        self.kind = kind
        self.token = token
        self.app = app
        self.configuration = configuration
        self.version = version
    }
}

/// What became of what devices are given, as a store keeps it: noted where it is learned, in the same step.
package protocol DeviceHistoryStore: Sendable {
    /// Newest first; nothing where there is no such device.
    func deviceHistory(of device: String, _ page: PageRequest) async throws -> Page<DeviceHistoryEntry>?
    /// Notes, once for each, that the device reported on exactly the declarations of this token.
    func recordSettled(device: String, epoch: Int, token: String, now: Date) async throws
}

extension Management {
    /// Notes that a device reported on exactly what it is given, if it does and that was not known.
    func noteSettled(
        _ device: DeviceContext, _ manifest: Manifest, _ reported: DeclarationStatuses
    ) async throws {
        let token = manifest.declarationsToken
        guard device.told.settledToken != token, HeldDeclarations(of: manifest) == HeldDeclarations(reported) else {
            return
        }
        try await store.recordSettled(device: device.key, epoch: device.epoch, token: token, now: moment)
        contexts.forget(device.key)
        var change = Change(.settle, device: device.key, groups: device.groups, time: moment)
        (change.withheld, change.withheldSettings) = (manifest.withheld, manifest.withheldSettings)
        if changes.followsSecrets(in: device.groups) {
            change.lackedSecrets = LackedSecret.all(in: try await reportedApps(of: device.key))
        }
        changes.note(change)
    }

    /// What became of what a device is given, newest first.
    package func history(
        of device: String, _ page: PageRequest
    ) async throws -> Outcome<Page<DeviceHistoryEntry>, AdminRefusal> {
        try await store.deviceHistory(of: device, page).map { .accepted($0) } ?? .refused(.unknownDevice)
    }
}
