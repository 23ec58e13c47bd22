import DeviceAgent
import DeviceMessages
import Foundation
import InputBounds
import Testing

/// Roots among the declarations: which are trusted, and when they are not any more.
struct RootCertificatesSystemTests {
    private func set(_ roots: [String: String], token: String = "1") -> [String: Declaration] {
        var all = [
            Declaration(
                identifier: "act", serverToken: "1", SimpleActivation(standardConfigurations: roots.keys.sorted()))
        ]
        all += roots.map { identifier, asset in
            Declaration(identifier: identifier, serverToken: token, CertificateConfiguration(asset: asset))
        }
        all += Set(roots.values).map { asset in
            CredentialAsset(.certificate, document: DataAsset(dataURL: "https://h/c"))
                .declaration(identifier: asset, serverToken: token)
        }
        return all.reduce(into: [:]) { $0[$1.identifier] = $1 }
    }

    /// Judges the set with these assets; what is not named cannot be had.
    private func applied(
        _ declarations: [String: Declaration], _ assets: [String: Data], previous: Applied = Applied()
    ) throws -> Applied {
        let evaluation = Evaluation(declarations, previous: previous)
        var results = evaluation.secretsHere(previous)
        var contents: [String: Data] = [:]
        for need in evaluation.secretNeeds {
            guard let der = assets[need.identifier] else {
                if results[need.identifier] == nil { results[need.identifier] = .refused(.download("gone")) }
                continue
            }
            let bytes = try SecretContent.certificate(der).encoded()
            contents[bytes.digest] = bytes
            results[need.identifier] = .here(
                ProvisionedSecret(serverToken: need.serverToken, digest: bytes.digest))
        }
        return evaluation.outcome(
            assets: [:], secrets: results, previous: previous, now: TestRoot.now
        ) { [contents] in contents[$0] }
    }

    private func roots(_ applied: Applied) -> [Data] {
        (applied.systems[RootCertificatesSystem.self] ?? []).map(\.root.certificate)
    }

    private func reasons(_ applied: Applied, _ identifier: String) -> String {
        (applied.verdicts[identifier]?.reasons ?? []).map { "\($0.code) \($0.description ?? "")" }
            .joined(separator: "\n")
    }

    @Test func rootsOfSeveralDeclarationsAreTrustedTogether() throws {
        let (one, two) = (try TestRoot.der("One"), try TestRoot.der("Two"))
        let applied = try applied(set(["a": "x", "b": "y"]), ["x": one, "y": two])
        #expect(roots(applied) == [one, two])
        for name in ["a", "b", "x", "y"] { #expect(applied.verdicts[name]?.valid == .valid, "\(name)") }
        let items = RootCertificatesSystem.status(of: applied)["security.certificate.list"]?.array ?? []
        #expect(items.map { $0["subject-summary"]?.string } == ["CN=One", "CN=Two"])
        #expect(items.first?["data"]?.string == one.base64EncodedString())
        #expect(items.first?["is-identity"] == .boolean(false))
    }

    @Test func whatIsNoRootIsToldToTheServerAndTrustedByNobody() throws {
        let expired = try TestRoot.der(until: TestRoot.now - 1)
        let applied = try applied(set(["a": "x", "b": "y"]), ["x": expired, "y": try TestRoot.der("Two")])
        #expect(applied.verdicts["a"]?.valid == .invalid && reasons(applied, "a").contains("has expired"))
        #expect(applied.verdicts["b"]?.valid == .valid && roots(applied).count == 1, "each stands for itself")
    }

    @Test func aRootWhoseNextVersionCannotBeHadStays() throws {
        let one = try TestRoot.der("One")
        let before = try applied(set(["a": "x"]), ["x": one])
        let after = try applied(set(["a": "x"], token: "2"), [:], previous: before)
        #expect(roots(after) == [one] && after.verdicts["a"]?.valid == .invalid && !after.isComplete)
    }

    @Test func aRootThatIsReplacedByNoneIsWithdrawn() throws {
        let before = try applied(set(["a": "x"]), ["x": try TestRoot.der("One")])
        let next = try applied(set(["a": "x"], token: "2"), ["x": Data("no root".utf8)], previous: before)
        #expect(roots(next).isEmpty, "the administrator has taken the old one back")
        #expect(next.systems == Applied().systems, "nothing is held in a form of its own")
    }

    @Test func withoutItsDeclarationARootIsGone() throws {
        let before = try applied(set(["a": "x", "b": "y"]), ["x": TestRoot.der("One"), "y": TestRoot.der("Two")])
        let after = try applied(set(["b": "y"]), ["y": try TestRoot.der("Two")], previous: before)
        #expect(roots(after).count == 1)
        #expect(roots(before.within(after)).count == 1, "also before the disk has taken it")
        #expect(roots(before.within(Applied())).isEmpty)
    }

    @Test func aDeclarationThatNamesNoCertificateIsRefused() throws {
        var set = set(["a": "x"])
        set["x"] = Declaration(identifier: "x", serverToken: "1", DataAsset(dataURL: "https://h/d"))
        #expect(reasons(try applied(set, [:]), "a").contains("not one of its kind"))
        set["x"] = nil
        #expect(reasons(try applied(set, [:]), "a").contains("Error.MissingAssets"))
        set["a"] = Declaration(
            type: CertificateConfiguration.type, identifier: "a", serverToken: "1", payload: .object([:]))
        #expect(reasons(try applied(set, [:]), "a").contains("Error.InvalidPayload"))
    }

    @Test func oneRootTooManyIsRefused() throws {
        let names = (0...RootCertificatesSystem.mostRoots).map { (String(format: "r%03d", $0), "x") }
        let applied = try applied(
            set(names.reduce(into: [:]) { $0[$1.0] = $1.1 }), ["x": try TestRoot.der("One")])
        #expect(roots(applied).count == RootCertificatesSystem.mostRoots)
        #expect(reasons(applied, "r064").contains("at most 64"))
    }

    /// What an agent holds that knew fewer systems is judged anew; what is held for a system that this one does not know
    /// stays as it is.
    @Test func heldStatesOfOtherVersionsAreReadable() throws {
        let applied = try applied(set(["a": "x"]), ["x": try TestRoot.der("One")])
        let kept = try JSONDecoder().decode(Applied.self, from: JSONEncoder().encode(applied))
        #expect(kept == applied && kept.knowsAllTypes)
        #expect(!Applied().knowsAllTypes)
        let foreign = Data(#"{"passcode":"AAEC","root-certificates":"e30="}"#.utf8)
        let states = try JSONDecoder().decode(HeldStates.self, from: foreign)
        #expect(states[RootCertificatesSystem.self] == nil, "a form that cannot be read holds nothing")
        #expect(try JSONDecoder().decode(HeldStates.self, from: JSONEncoder().encode(states)) == states)
    }
}
