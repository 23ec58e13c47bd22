import DeviceMessages
import Foundation

extension Management {
    /// Which of these devices have reported on exactly the declarations they should hold, by their identifiers.
    ///
    /// Devices that hold the same report it in the same bytes: what is compared is read once for each manifest and once
    /// for each different report, and all reports are one reading of the store.
    package func synchronised(_ devices: [Device]) async throws -> Set<String> {
        let reports = try await store.statusItem(named: DeclarationStatuses.name, of: devices.map(\.id))
        var told: [String: HeldDeclarations?] = [:]
        var reported: [Data?: HeldDeclarations] = [:]
        var synchronised: Set<String> = []
        for device in devices {
            let manifest = try await manifest(of: device)
            if told[manifest.declarationsToken] == nil {
                told[manifest.declarationsToken] = .some(HeldDeclarations(of: manifest))
            }
            let report = reports[device.id]
            if reported[report] == nil {
                reported[report] = HeldDeclarations(report.flatMap { try? DeclarationStatuses(Self.json($0)) })
            }
            if let wanted = told[manifest.declarationsToken] ?? nil, wanted == reported[report] {
                synchronised.insert(device.id)
            }
        }
        return synchronised
    }
}
