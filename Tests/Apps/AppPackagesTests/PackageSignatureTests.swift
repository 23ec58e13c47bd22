import AppPackages
import CraftedPackages
import CryptographicMessages
import Foundation
import Testing
import X509

/// Who may sign, and for whom an authority vouches.
struct PackageSignatureTests {
    private func rule(
        _ team: Team, chain: [Team] = [], trust: [Team], now: Date = Team.now,
        _ change: (inout Craft) -> Void = { _ in }
    ) throws -> PackageRefusal.Rule? {
        var craft = Craft()
        change(&craft)
        let bytes = try craft.bytes(by: team, chain: chain)
        let trust = try TeamTrust(trust.map(\.certificateDER))
        return refusal { _ = try VerifiedPackage.verify(PackageBytes(bytes), trust: trust, now: now) }
    }

    @Test(arguments: [SigningKey.Algorithm.rsa2048, .p256, .p384])
    func aTeamIsTrustedByItsCertificateOrItsAuthority(algorithm: SigningKey.Algorithm) throws {
        let root = try Team.authority("Root")
        let team = try Team("Team", issuer: root) { $0.algorithm = algorithm }
        #expect(try rule(team, trust: [team]) == nil)
        #expect(try rule(team, trust: [root]) == nil)
        #expect(try rule(team, trust: [Team("Other"), root]) == nil)
    }

    @Test func anUnsignedPackageIsRefused() throws {
        let team = try Team("Team")
        #expect(try rule(team, trust: [team]) { $0.isSigned = false } == .unsigned)
    }

    @Test func aSignatureByAnybodyIsRefused() throws {
        let (team, stranger) = (try Team("Team"), try Team("Team"))
        #expect(try rule(stranger, trust: [team]) == .untrusted)
        #expect(try rule(stranger, trust: []) == .untrusted)
        // By a stranger's authority that has the same name as ours.
        let stranger2 = try Team("Team", issuer: Team.authority("Root"))
        #expect(try rule(stranger2, trust: [Team.authority("Root")]) == .untrusted)
    }

    @Test func aSignatureOverAnotherListIsRefused() throws {
        let team = try Team("Team")
        let other = try PackageSignature.sign(
            Array("other".utf8), certificates: [team.certificateDER], key: team.key, now: Team.now)
        #expect(try rule(team, trust: [team]) { $0.signature = other } == .signature)
        #expect(try rule(team, trust: [team]) { $0.signature = [] } == .signature)
        #expect(try rule(team, trust: [team]) { $0.signature = [0x30, 0x80] } == .signature)
    }

    /// The certificate of a team beside the signature of somebody else.
    @Test func aSignatureByAnotherKeyUnderATeamsCertificateIsRefused() throws {
        let (team, stranger) = (try Team("Team"), try Team("Team"))
        let forged = try MessageSignature.sign(
            Data(Craft().listBytes), certificateDER: team.certificateDER, key: stranger.key)
        #expect(try rule(team, trust: [team]) { $0.signature = [UInt8](forged) } == .signature)
    }

    @Test func anotherKeyThanTheCertificatesDoesNotSign() throws {
        let (team, stranger) = (try Team("Team"), try Team("Other"))
        let found = refusal {
            _ = try PackageSignature.sign(
                [1], certificates: [team.certificateDER], key: stranger.key, now: Team.now)
        }
        #expect(found == .keyOfOther)
    }

    @Test func aCertificateServesInItsTimeAlone() throws {
        let root = try Team.authority("Root")
        let team = try Team("Team", issuer: root)
        for trust in [team, root] {
            #expect(try rule(team, trust: [trust], now: Team.now + 86_401) == .certificateExpired)
            #expect(try rule(team, trust: [trust], now: Team.now - 3_601) == .certificateNotYetValid)
        }
        let ended = try Team("Team") { $0.notAfter = Team.now - 1 }
        let found = refusal {
            _ = try PackageSignature.sign([1], certificates: [ended.certificateDER], key: ended.key, now: Team.now)
        }
        #expect(found == .certificateExpired)
    }

    @Test func anAuthorityServesInItsTimeAlone() throws {
        let root = try Team("Root") {
            $0.isAuthority = true
            $0.notAfter = Team.now - 1
        }
        #expect(try rule(Team("Team", issuer: root), trust: [root]) == .certificateExpired)
    }

    @Test func aCertificateThatIsNotForCodeIsRefused() throws {
        let forms: [(inout Team.Form) -> Void] = [
            { $0.purposes = [.clientAuth] }, { $0.purposes = nil }, { $0.usage = nil },
            { $0.usage = KeyUsage(keyEncipherment: true) }, { $0.purposes = [.any] },
        ]
        for form in forms {
            let team = try Team("Team", form)
            let found = refusal {
                _ = try TeamTrust([team.certificateDER]).judge(team.certificateDER, with: [], now: Team.now)
            }
            #expect(found == .certificatePurpose)
        }
        let authority = try Team.authority("Team", units: ["TEAM123456"])
        let found = refusal {
            _ = try TeamTrust([authority.certificateDER]).judge(authority.certificateDER, with: [], now: Team.now)
        }
        #expect(found == .certificatePurpose)
    }

    @Test(arguments: [[], ["Sales"], ["team123456"], ["TEAM12345"], ["TEAM1234567"], ["TEAM123456", "TEAM654321"]])
    func aCertificateNamesExactlyOneTeam(units: [String]) throws {
        let team = try Team("Team") { $0.units = units }
        let found = refusal {
            _ = try TeamTrust([team.certificateDER]).judge(team.certificateDER, with: [], now: Team.now)
        }
        #expect(found == .certificateTeam)
    }

    @Test func aCriticalExtensionNobodyUnderstandsIsRefused() throws {
        let team = try Team("Team") { $0.hasUnknownCriticalExtension = true }
        #expect(refusal { _ = try TeamTrust([team.certificateDER]) } == .certificateUnreadable)
        let root = try Team.authority("Root")
        let below = try Team("Team", issuer: root) { $0.hasUnknownCriticalExtension = true }
        let found = refusal {
            _ = try TeamTrust([root.certificateDER]).judge(below.certificateDER, with: [], now: Team.now)
        }
        #expect(found == .certificateUnreadable)
    }

    @Test func anAuthorityOfOneTeamDoesNotVouchForAnother() throws {
        let root = try Team.authority("Root")
        let own = try Team.authority("Own", units: ["TEAM123456"])
        let other = try Team.authority("Other", units: ["TEAM654321"])
        #expect(try rule(Team("Team", issuer: own), trust: [own, other]) == nil)
        #expect(try rule(Team("Team", issuer: other), trust: [own, other]) == .otherTeam)
        // Nor by way of an authority that vouches for all teams.
        let middle = try Team.authority("Middle", units: ["TEAM654321"], issuer: root)
        #expect(try rule(Team("Team", issuer: middle), chain: [middle], trust: [root]) == .otherTeam)
        // A department is no team.
        let department = try Team.authority("Root", units: ["Sales"])
        #expect(try rule(Team("Team", issuer: department), trust: [department]) == nil)
    }

    @Test func onlyAnAuthorityVouches() throws {
        let root = try Team.authority("Root")
        let team = try Team("Team", issuer: root)
        let child = try Team("Child", issuer: team)
        #expect(try rule(child, chain: [team], trust: [root]) == .untrusted)
        #expect(try rule(child, trust: [team]) == .untrusted)
    }

    @Test func aChainIsAsLongAsItsAuthoritiesAllow() throws {
        let root = try Team.authority("Root", pathLimit: 0)
        let middle = try Team.authority("Middle", issuer: root)
        #expect(try rule(Team("Team", issuer: middle), chain: [middle], trust: [root]) == .untrusted)
        let free = try Team.authority("Root")
        var chain = [free]
        for number in 1...4 { chain.insert(try Team.authority("Middle \(number)", issuer: chain[0]), at: 0) }
        let sent = Array(chain.dropLast())
        #expect(try rule(Team("Team", issuer: chain[0]), chain: sent, trust: [free]) == .untrusted)
        #expect(try rule(Team("Team", issuer: chain[1]), chain: Array(sent.dropFirst()), trust: [free]) == nil)
    }

    /// Authorities that vouch for each other lead nowhere, and take no time to.
    @Test func aCircleOfAuthoritiesIsRefused() throws {
        let one = try Team.authority("One")
        let other = try Team.authority("Two", issuer: one)
        let team = try Team("Team", issuer: other)
        #expect(try rule(team, chain: [other, one], trust: [Team.authority("Root")]) == .untrusted)
    }
}
