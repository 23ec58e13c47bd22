package import AdminMessages
import ArgumentParser

/// The device that a command is about, as people name it.
struct DeviceArgument: ParsableArguments {
    @Argument(
        help: """
            The device's ID, or its name as martlet device list shows it, or its serial number; id:ID and serial:NUMBER say \
            which of them it is.
            """)
    var device: String

    /// The ID of the one device that is meant; several that answer to the name are refused.
    func id(_ server: Server) async throws -> String { try await server.device(named: device) }
}

extension Server {
    /// The ID of the one device that has this ID, name or serial number; a prefix limits the search to one of them.
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

    /// The prefix of an argument that is an ID, and neither a name nor a serial number.
    static let idPrefix = "id:"
    private static let serialPrefix = "serial:"

    /// The ID of the only enrolled device among the candidates, or else of the only candidate.
    ///
    /// Throws a failure that lists the candidates where there are several. Devices report their serial numbers
    /// themselves, and one may report another device's ID. This never returns such a device in place of the device with
    /// the ID, whether that one is enrolled or not.
    package static func id(of name: String, among devices: [DeviceSummary]) throws(Failure) -> String {
        let present = devices.filter { $0.state == .enrolled || $0.state == .enrolling }
        var candidates = present.isEmpty ? devices : present
        let exact = devices.first { $0.id == name }
        if let exact, !candidates.contains(where: { $0.id == name }) { candidates.insert(exact, at: 0) }
        guard let first = candidates.first else { throw .noDevice(name) }
        guard candidates.count > 1 else { return first.id }
        let shown = candidates.prefix(mostShown).map { "  " + (exact == nil ? "" : idPrefix) + line(of: $0) }
        let rest = candidates.count > mostShown ? ["  and more: martlet device list shows them all"] : []
        throw Failure(
            .refused, "several devices answer to \(Printable.line(name)); nothing was done",
            advice: ([way(isID: exact != nil)] + shown + rest).joined(separator: "\n"))
    }

    /// The ID of a device that is not enrolled yet: the argument, without the prefix of an ID.
    ///
    /// Throws a failure where the argument is a serial number: by that, only a device that the server knows is found.
    package static func laterID(_ name: String) throws(Failure) -> String {
        if let number = rest(of: name, after: serialPrefix) {
            throw Failure(
                .notFound, "There is no device with the serial number \(Printable.line(number)).",
                advice: "martlet device list shows what there is. A device that has not enrolled is named by its ID.")
        }
        return rest(of: name, after: idPrefix) ?? name
    }

    private static func rest(of name: String, after prefix: String) -> String? {
        guard name.utf8.starts(with: prefix.utf8) else { return nil }
        return String(name[name.utf8.index(name.utf8.startIndex, offsetBy: prefix.utf8.count)...])
    }

    private static func way(isID: Bool) -> String {
        isID ? "It is the ID of one and the serial number of another. Write id: and the ID:" : "Write the ID of one:"
    }

    private static func line(of device: DeviceSummary) -> String {
        let name = device.name.map { "\(Printable.line($0)), " } ?? ""
        let seen = device.lastSeen.map { "last seen \($0.shown)" } ?? "never seen"
        return "\(Printable.line(device.id)) (\(name)\(device.state.rawValue), \(seen))"
    }
}
