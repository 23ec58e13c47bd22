import AdminMessages
import Foundation
import TestInputs
import Testing
import martlet

/// What a reviewer is sent.
struct ReviewInvitationTests {
    private func invitation(name: String = "Landmarks", recipient: String = "App Review") -> ReviewInvitation {
        ReviewInvitation(
            invitation: "invitation-abcdefg2", app: "com.example.landmarks", name: name, recipient: recipient,
            expires: Date(timeIntervalSince1970: 1_769_860_991), url: "https://mdm.example.org:8443",
            authorityFingerprint: "ab12", configuration: "default", isInstalled: true)
    }

    @Test func anInvitationsNameIsNoOtherGroups() {
        var random = SplitMix64(seed: 1)
        let names = (0..<100).map { _ in ReviewInvitation.newName(using: &random) }
        #expect(Set(names).count == 100)
        #expect(names.allSatisfy(ReviewInvitation.isName))
        for other in ["teachers", "invitation-", "invitation-short", "invitation-abcdefg1x", "invitation-ABCDEFGH"] {
            #expect(!ReviewInvitation.isName(other), "\(other)")
        }
    }

    /// Each device has its own, and the code stands where it is needed and nowhere else.
    @Test func eachCodeIsGivenOnceAndInNoCommand() {
        var invitation = invitation()
        invitation.codes = ["FIRST", "SECOND"]
        for code in invitation.codes { #expect(invitation.text.components(separatedBy: code).count == 2) }
        #expect(
            invitation.text.contains(
                "sudo martlet-agent enroll --url https://mdm.example.org:8443 --ca-fingerprint ab12\n"))
        #expect(invitation.text.contains("```sh\nFIRST\nSECOND\n```"))
        #expect(invitation.text.contains("2 devices") && invitation.text.contains("2026-01-31T12:03:11Z"))
    }

    @Test func anAccountComesWithItsPassword() {
        var invitation = invitation()
        (invitation.account, invitation.password) = ("reviewer@example.org", "PASSWORD")
        #expect(invitation.command.contains("--account reviewer@example.org "))
        #expect(invitation.text.contains("```sh\nPASSWORD\n```"))
        #expect(!invitation.text.contains("asks for the code"))
    }

    @Test func whatTheAppIsGivenIsSaidAndNotAskedFor() {
        var invitation = invitation()
        invitation.codes = ["CODE"]
        #expect(invitation.text.contains("It is given no credentials."))
        invitation.secrets = [.init(kind: .password, identifier: "account")]
        #expect(invitation.text.contains("the password account: there is nothing to type"))
    }

    @Test func namesMakeNoInstructions() {
        var invitation = invitation(name: "A\n```sh\nrm -rf /\n```", recipient: "B\u{1B}[2J")
        invitation.codes = ["CODE"]
        #expect(!invitation.text.contains("\nrm -rf") && !invitation.text.contains("\u{1B}"))
    }
}
