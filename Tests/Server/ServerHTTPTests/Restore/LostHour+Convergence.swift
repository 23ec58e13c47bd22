import DeviceMessages
import Foundation
import Management
import Testing

/// What is true of a fleet once it came to the restored server.
extension LostHour {
    /// Lets the fleet come, and lets in by new codes those devices that the rules shut out.
    mutating func converge(on server: TestServer, _ clock: TestClock) async throws {
        try await goOn(on: server, clock)
        try await expectEnds(on: server)
        try await expectCommands(on: server)
        for index in devices.indices where devices[index].refusal != nil {
            try await letIn(index, on: server, clock)
            try await expectConverged(devices[index], on: server, "\(fates[index])")
        }
    }

    private func expectEnds(on server: TestServer) async throws {
        for (device, fate) in zip(devices, fates) {
            switch fate.end {
            case .gone: continue
            case .refused(let status): #expect(device.refusal == status, "\(fate)")
            case .converges: try await expectConverged(device, on: server, "\(fate)")
            }
        }
        let shutOut = Set(zip(devices, fates).filter { $0.0.refusal != nil }.map { $0.1 })
        #expect(shutOut == [.enrollsSince, .enrollsAnew, .renewsUnderAnotherName])
    }

    /// The device has what the model says, by the very tokens that the server has now.
    private func expectConverged(_ device: KeepingDevice, on server: TestServer, _ fate: String) async throws {
        #expect(device.refusal == nil, "\(fate)")
        let held = try device.holding()
        let due = values.holding(of: device.id)
        #expect(held == due, "\(fate)")
        let known = try #require(await server.management.device(device.id))
        let manifest = try await server.management.manifest(of: known)
        #expect(device.token == manifest.declarationsToken, "\(fate)")
        let items = try DeclarationItems(parsing: manifest.itemsDocument)
        var tokens: [String: String] = [:]
        for kind in DeclarationKind.allCases {
            for item in items[kind] { tokens[item.identifier] = item.serverToken }
        }
        #expect(device.serverTokens == tokens, "\(fate)")
    }

    /// What acts is sent once at most; what asks may be asked twice, and is answered.
    private func expectCommands(on server: TestServer) async throws {
        for device in devices { #expect(Set(device.acts).count == device.acts.count, "\(device.id)") }
        for sent in acting {
            let command = try await server.management.command(sent.uuid, of: sent.device)
            #expect(command?.state == .retired)
        }
        let converged = Set(zip(devices, fates).filter { $0.1.end == .converges }.map { $0.0.id })
        for sent in asking where converged.contains(sent.device) {
            let command = try await server.management.command(sent.uuid, of: sent.device)
            #expect(command?.state == .acknowledged)
        }
    }
}
