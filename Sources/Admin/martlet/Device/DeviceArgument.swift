package import AdminMessages
import ArgumentParser

/// The device that a command is about, as people name it.
struct DeviceArgument: ParsableArguments {
    @Argument(help: "The device's ID, or its name as martlet device list shows it, or its serial number.")
    var device: String

    /// The ID of the one device that is meant; several that answer to the name are refused.
    func id(_ server: Server) async throws -> String { try await server.device(named: device) }
}

extension Server {
    /// The ID of the one device that has this ID, name or serial number.
    func device(named name: String) async throws -> String {
        let devices: [DeviceSummary] = try await list(
            "devices", query: [("named", name)], first: DeviceChoice.mostShown + 1)
        return try DeviceChoice.id(of: name, among: devices)
    }
}

/// Which of the devices that answer to a name is meant.
package enum DeviceChoice {
    /// Of more candidates nobody reads a list.
    static let mostShown = 20

    /// The ID of the device that is meant: the one whose ID it is, or else the only one of this name that is enrolled,
    /// or else the only one of this name at all.
    ///
    /// Throws a failure that lists the candidates where there are several.
    package static func id(of name: String, among devices: [DeviceSummary]) throws(Failure) -> String {
        if let exact = devices.first(where: { $0.id == name }) { return exact.id }
        let present = devices.filter { $0.state == .enrolled || $0.state == .enrolling }
        let candidates = present.isEmpty ? devices : present
        guard let first = candidates.first else {
            throw Failure(
                .notFound, "There is no such device.", advice: "martlet device list shows what there is.")
        }
        guard candidates.count > 1 else { return first.id }
        let shown = candidates.prefix(mostShown).map { "  " + line(of: $0) }
        let rest = candidates.count > mostShown ? ["  and more: martlet device list shows them all"] : []
        throw Failure(
            .refused, "several devices answer to \(Printable.line(name)); nothing was done",
            advice: (["Name one by its ID:"] + shown + rest).joined(separator: "\n"))
    }

    private static func line(of device: DeviceSummary) -> String {
        let name = device.name.map { "\(Printable.line($0)), " } ?? ""
        let seen = device.lastSeen.map { "last seen \($0.shown)" } ?? "never seen"
        return "\(Printable.line(device.id)) (\(name)\(device.state.rawValue), \(seen))"
    }
}
