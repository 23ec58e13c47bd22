import Foundation
import Management
import Testing

/// C5: who is let in by a certificate whose record a restore lost.
///
/// Red before: there was no such rule, and every device that had renewed after the backup was shut out.
struct ReadmissionTests {
    private static let copied = Date(timeIntervalSince1970: 1_800_000_000)
    private static let era = Era(id: "e1", copied: copied, began: copied + 1_000)
    private static let pinned = ReadmissionFacts.Pinned(name: "device 1", serial: "01", issued: copied - 5_000)

    private func shown(_ name: String = "device 1", issued seconds: TimeInterval = 500) -> ShownIdentity {
        ShownIdentity(
            der: Data([2]), fingerprint: Data([2]), serial: Data([2]), name: name, issued: Self.copied + seconds,
            notAfter: Self.copied + 9_000, publicKeyDigest: Data([3]))
    }

    private func facts(
        _ state: EnrollmentState = .enrolled, pinned: ReadmissionFacts.Pinned? = pinned, isOnRecord: Bool = false,
        eras: [Era] = [era]
    ) -> ReadmissionFacts {
        ReadmissionFacts(state: state, pinned: pinned, isOnRecord: isOnRecord, eras: eras)
    }

    @Test func aRenewedCertificateOfTheLostTimeTakesThePlaceOfThePinnedOne() {
        let expected = Readmission(device: "D1", identity: shown(), replaced: "01", era: Self.era)
        #expect(Readmission.decide(shown(), as: "D1", knowing: facts()) == .accepted(expected))
        #expect(Readmission.decide(shown(), as: "D1", knowing: facts(.pending)).value == expected)
        // It is dated before it is written down: the copy may miss it.
        #expect(Readmission.decide(shown(issued: -30), as: "D1", knowing: facts()).value != nil)
        let later = Era(id: "e2", copied: Self.copied + 100, began: Self.copied + 2_000)
        let twice = Readmission.decide(shown(), as: "D1", knowing: facts(eras: [Self.era, later]))
        #expect(twice.value?.era == later, "the newest era that may have lost it")
    }

    @Test func everyOtherCertificateIsRefused() {
        func expect(
            _ refusal: ReadmissionRefusal, _ shown: ShownIdentity, _ facts: ReadmissionFacts?, _ what: String
        ) {
            #expect(Readmission.decide(shown, as: "D1", knowing: facts).refusal == refusal, "\(what)")
        }
        expect(.unknownDevice, shown(), nil, "enrolled after the backup")
        expect(.ended, shown(), facts(.withdrawn), "withdrawn")
        expect(.ended, shown(), facts(.checkedOut), "checked out")
        expect(.onRecord, shown(), facts(isOnRecord: true), "one that another has replaced, or that is another's")
        expect(.anotherName, shown("device 2"), facts(), "another enrollment's")
        expect(.anotherName, shown(), facts(pinned: nil), "nothing to compare with")
        let nameless = ReadmissionFacts.Pinned(name: "", serial: "01", issued: .distantPast)
        expect(.anotherName, shown(""), facts(pinned: nameless), "none")
        let accented = ReadmissionFacts.Pinned(name: "e\u{301}", serial: "01", issued: .distantPast)
        expect(.anotherName, shown("\u{e9}"), facts(pinned: accented), "a name is compared by its bytes")
        let newer = ReadmissionFacts.Pinned(name: "device 1", serial: "01", issued: Self.copied + 500)
        expect(.notNewer, shown(), facts(pinned: newer), "as old as the pinned one")
        expect(.noEra, shown(issued: -61), facts(), "from before the backup")
        expect(.noEra, shown(issued: 1_001), facts(), "from after the restore")
        expect(.noEra, shown(), facts(eras: []), "never restored, or let in so already")
        let backwards = Era(id: "e3", copied: Self.copied + 2_000, began: Self.copied)
        expect(.noEra, shown(issued: 1_000), facts(eras: [backwards]), "a clock that went back")
    }
}
