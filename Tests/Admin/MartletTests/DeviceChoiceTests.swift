import AdminMessages
import Foundation
import Testing
import martlet

/// Which device a command is about; red for a name, which `martlet device list` shows and no command but
/// `martlet device person` took in any form.
struct DeviceChoiceTests {
    private func device(_ id: String, _ name: String?, _ state: DeviceState = .enrolled) -> DeviceSummary {
        DeviceSummary(
            id: id, name: name, kind: .device, ownership: .organization, supervised: true, groups: [], state: state,
            lastSeen: Date(timeIntervalSince1970: 0), synchronised: true)
    }

    @Test func aNameThatOneDeviceHasIsThatDevice() throws {
        #expect(try DeviceChoice.id(of: "front desk", among: [device("A", "front desk")]) == "A")
        // A device that was enrolled anew is listed twice: as what it was, and as what it is.
        let both = [device("A", "front desk", .withdrawn), device("B", "front desk")]
        #expect(try DeviceChoice.id(of: "front desk", among: both) == "B")
        #expect(try DeviceChoice.id(of: "front desk", among: Array(both.prefix(1))) == "A")
    }

    /// Devices report their serial numbers themselves, so one that reports another device's ID makes the name
    /// ambiguous.
    ///
    /// Red where the command silently takes the device with the ID.
    @Test(arguments: [DeviceState.enrolled, .enrolling, .withdrawn, .checkedOut])
    func anIDThatAnotherDeviceSaysAsItsSerialNumberIsRefused(state: DeviceState) throws {
        let both = [device("B", "kiosk"), device("A", "front desk", state)]
        let failure = try #require(throws: Failure.self) { try DeviceChoice.id(of: "A", among: both) }
        #expect(failure.status == .refused && failure.reason.contains("answer to A"))
        let advice = try #require(failure.advice)
        #expect(advice.contains("  id:A (front desk, ") && advice.contains("  id:B (kiosk, "), "\(advice)")
    }

    @Test func anIDIsNotDoubtedForADeviceThatLeftNorBehindItsPrefix() throws {
        let both = [device("B", "kiosk", .withdrawn), device("A", "front desk")]
        #expect(try DeviceChoice.id(of: "A", among: both) == "A")
        #expect(try DeviceChoice.id(of: "id:A", among: [device("A", nil, .withdrawn)]) == "A")
    }

    /// A device that has not enrolled yet is known by its ID alone, and its events carry no prefix.
    @Test func anIDIsReadOutOfItsPrefix() throws {
        for (name, id) in [("id:A", "A"), ("A", "A"), ("kid:A", "kid:A"), ("id:serial:A", "serial:A")] {
            #expect(try DeviceChoice.laterID(name) == id)
        }
    }

    /// Red where `martlet watch --device serial:A` waits for events of a device with that text as its ID.
    @Test func aSerialNumberThatNoDeviceHasIsNoID() throws {
        let failure = try #require(throws: Failure.self) { try DeviceChoice.laterID("serial:A") }
        #expect(failure.status == .notFound && failure.reason.contains("no device with the serial number A."))
    }

    @Test func severalOfOneNameAreRefusedWithTheirIDs() throws {
        let several = [device("A", "front desk"), device("B", "front desk"), device("C", "front desk", .withdrawn)]
        let failure = try #require(throws: Failure.self) {
            try DeviceChoice.id(of: "front desk", among: several)
        }
        #expect(failure.status == .refused && failure.reason.contains("front desk"))
        let advice = try #require(failure.advice)
        #expect(advice.contains("  A (front desk, enrolled, last seen 1970-01-01T00:00:00Z)"), "\(advice)")
        #expect(advice.contains("  B ("))
        #expect(!advice.contains("  C ("))
    }

    @Test func nobodyOfTheNameIsNotFound() throws {
        let failure = try #require(throws: Failure.self) { try DeviceChoice.id(of: "x", among: []) }
        #expect(failure.status == .notFound && failure.reason == "There is no such device: x.")
    }

    @Test func ofManyTheFirstAreShown() throws {
        let many = (10..<31).map { device("\($0)", "front desk") }
        let failure = try #require(throws: Failure.self) { try DeviceChoice.id(of: "front desk", among: many) }
        #expect(failure.advice?.contains("and more: martlet device list") == true)
    }
}
