import AdminMessages
import ArgumentParser
import Foundation
import Testing

@testable import martlet

/// People read "synchronized"; what scripts give and read keeps the spelling that it had.
struct SynchronizedSpellingTests {
    @Test(arguments: ["--synchronized", "--synchronised"]) func waitingTakesBothSpellings(option: String) throws {
        let command = try DeviceWait.parse(["U-1", option])
        #expect(command.synchronised)
    }

    @Test func aDeviceInJSONKeepsItsMember() throws {
        let device = DeviceSummary(
            id: "U-1", name: "desk", kind: .device, ownership: .organization, supervised: true, groups: [],
            person: nil, state: .enrolled, synchronised: true)
        let text = String(decoding: try AdminJSON.encode(device), as: UTF8.self)
        #expect(text.contains("\"synchronised\""))
    }
}
