import ClientOfSecurity
import Crypto
import Foundation
import ManagedApp
import ManagedAppSecurity
import SwiftASN1
import Testing
import X509

/// Which certificates are trusted, and by which rule others are not.
@Suite(.timeLimit(.minutes(10)))
struct SecTrustTests {
    /// A chain, what is asked of it, and the rule that is broken; nil for none.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let broken: OSStatus?
        let host: String?
        /// The chain and the anchors.
        let certificates: @Sendable () throws -> ([TestCertificate], [TestCertificate])

        init(
            _ name: String, _ broken: OSStatus? = nil, host: String? = "assets.example.org",
            _ certificates: @escaping @Sendable () throws -> ([TestCertificate], [TestCertificate])
        ) {
            testDescription = name
            self.broken = broken
            self.host = host
            self.certificates = certificates
        }
    }

    // A root, an authority below it, and a server's certificate; each with what a case changes.
    private static func three(
        root: TestCertificate? = nil, authority: ((TestCertificate) throws -> TestCertificate)? = nil,
        server: ((TestCertificate) throws -> TestCertificate)? = nil
    ) throws -> [TestCertificate] {
        let root = try root ?? TestCertificate("Root", mayIssue: true)
        let authority = try authority?(root) ?? TestCertificate("Authority", by: root, mayIssue: true)
        return [try server?(authority) ?? Self.server(authority), authority, root]
    }

    private static func server(
        _ issuer: TestCertificate, hosts: [GeneralName] = [.dnsName("assets.example.org")],
        usages: [ExtendedKeyUsage.Usage] = [.serverAuth], until end: TimeInterval = 3_600,
        critical: ASN1ObjectIdentifier? = nil
    ) throws -> TestCertificate {
        try TestCertificate(
            "assets.example.org", by: issuer, authority: false, hosts: hosts, usages: usages, until: end,
            critical: critical)
    }

    private static func address(_ bytes: [UInt8]) -> GeneralName {
        .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
    }

    static let cases: [Case] = [
        Case("a good chain") {
            let all = try three()
            return (Array(all.prefix(2)), [all[2]])
        },
        Case("a good chain with its root, in another order") {
            let all = try three()
            return ([all[0], all[2], all[1]], [all[2]])
        },
        Case("an authority in the middle as the anchor") {
            let all = try three()
            return ([all[0]], [all[1]])
        },
        Case("no extended key usage at all") {
            let all = try three(server: { try server($0, usages: []) })
            return (all, [all[2]])
        },
        Case("any extended key usage") {
            let all = try three(server: { try server($0, usages: [.any]) })
            return (all, [all[2]])
        },
        Case("a wildcard for one label", host: "a.example.org") {
            let all = try three(server: { try server($0, hosts: [.dnsName("*.example.org")]) })
            return (all, [all[2]])
        },
        Case("an address", host: "192.0.2.7") {
            let all = try three(server: { try server($0, hosts: [address([192, 0, 2, 7])]) })
            return (all, [all[2]])
        },
        Case("no name asked for", host: nil) {
            let all = try three(server: { try server($0, hosts: []) })
            return (all, [all[2]])
        },
        Case("another host", errSecHostNameMismatch, host: "other.example.org") {
            let all = try three()
            return (all, [all[2]])
        },
        Case("a wildcard for two labels", errSecHostNameMismatch, host: "a.b.example.org") {
            let all = try three(server: { try server($0, hosts: [.dnsName("*.example.org")]) })
            return (all, [all[2]])
        },
        Case("an address as a name", errSecHostNameMismatch, host: "192.0.2.7") {
            let all = try three(server: { try server($0, hosts: [.dnsName("192.0.2.7"), .dnsName("*.0.2.7")]) })
            return (all, [all[2]])
        },
        Case("another address", errSecHostNameMismatch, host: "192.0.2.8") {
            let all = try three(server: { try server($0, hosts: [address([192, 0, 2, 7])]) })
            return (all, [all[2]])
        },
        Case("a common name alone", errSecHostNameMismatch) {
            let all = try three(server: { try server($0, hosts: []) })
            return (all, [all[2]])
        },
        Case("an empty name", errSecHostNameMismatch, host: "") {
            let all = try three()
            return (all, [all[2]])
        },
        Case("expired", errSecCertificateExpired) {
            let all = try three(server: { try server($0, until: -1) })
            return (all, [all[2]])
        },
        Case("an expired authority", errSecCertificateExpired) {
            let all = try three(authority: { try TestCertificate("Authority", by: $0, until: -1) })
            return (all, [all[2]])
        },
        Case("an authority of tomorrow", errSecCertificateNotValidYet) {
            let all = try three(authority: { try TestCertificate("Authority", by: $0, from: 1) })
            return (all, [all[2]])
        },
        Case("an unknown root that was sent along", errSecNotTrusted) {
            (try three(), [try TestCertificate("Another")])
        },
        Case("an unknown root that was not sent", errSecCreateChainFailed) {
            (Array(try three().prefix(2)), [try TestCertificate("Another")])
        },
        Case("another root of the same name", errSecNotTrusted) { (try three(), [try TestCertificate("Root")]) },
        Case("no anchor", errSecNotTrusted) { (try three(), []) },
        Case("a missing intermediate", errSecCreateChainFailed) {
            let all = try three()
            return ([all[0]], [all[2]])
        },
        Case("no authority in the middle", errSecNoBasicConstraintsCA) {
            let all = try three(authority: { try TestCertificate("Authority", by: $0, authority: false) })
            return (all, [all[2]])
        },
        Case("an issuer that does not say whether it is an authority", errSecNoBasicConstraintsCA) {
            let all = try three(authority: { try TestCertificate("Authority", by: $0, authority: nil) })
            return (all, [all[2]])
        },
        Case("an issuer of version 1", errSecNoBasicConstraintsCA) {
            let all = try three(authority: { try TestCertificate("Authority", by: $0, version: .v1) })
            return (all, [all[2]])
        },
        Case("an authority that may not sign certificates", errSecInvalidKeyUsageForPolicy) {
            let all = try three(authority: { try TestCertificate("Authority", by: $0, mayIssue: false) })
            return (all, [all[2]])
        },
        Case("a path that is too long", errSecNotTrusted) {
            let all = try three(root: TestCertificate("Root", pathLength: 0))
            return (all, [all[2]])
        },
        Case("a client's certificate", errSecInvalidExtendedKeyUsage) {
            let all = try three(server: { try server($0, usages: [.clientAuth]) })
            return (all, [all[2]])
        },
        Case("an authority for clients", errSecInvalidExtendedKeyUsage) {
            let all = try three(authority: { try TestCertificate("Authority", by: $0, usages: [.clientAuth]) })
            return (all, [all[2]])
        },
        Case("a critical extension that nobody checks", errSecUnknownCriticalExtensionFlag) {
            let all = try three(server: { try server($0, critical: [1, 3, 6, 1, 4, 1, 99_999, 1]) })
            return (all, [all[2]])
        },
        Case("a server's certificate as its own anchor, no authority's", errSecNoBasicConstraintsCA) {
            let own = try TestCertificate(
                "assets.example.org", authority: false, hosts: [.dnsName("assets.example.org")])
            return ([own], [own])
        },
        Case("an authority's certificate as its own anchor") {
            let own = try TestCertificate("assets.example.org", hosts: [.dnsName("assets.example.org")])
            return ([own], [own])
        },
    ]

    /// S1-PIN-06: each rule is kept, and the error names the one that was broken.
    @Test(arguments: cases) func aChainIsTrustedOrTheErrorNamesTheRule(_ example: Case) throws {
        let (chain, anchors) = try example.certificates()
        let trust = try trust(chain, SecPolicyCreateSSL(true, example.host), anchors)
        var error: CFError?
        let trusted = unsafe SecTrustEvaluateWithError(trust, &error)
        #expect(trusted == (example.broken == nil))
        #expect(error?.code == example.broken.map { Int($0) }, "\(error?.localizedDescription ?? "trusted")")
        #expect((SecTrustCopyCertificateChain(trust) == nil) == !trusted)
        #expect((SecTrustCopyKey(trust) == nil) == !trusted)
    }

    private func trust(
        _ chain: [TestCertificate], _ policy: Any?, _ anchors: [TestCertificate]?,
        at date: Date = TestCertificate.now
    ) throws -> SecTrust {
        var trust: SecTrust?
        let status = unsafe SecTrustCreateWithCertificates(try chain.map { try $0.sec() } as CFArray, policy, &trust)
        #expect(status == errSecSuccess)
        let made = try #require(trust)
        if let anchors {
            #expect(SecTrustSetAnchorCertificates(made, try anchors.map { try $0.sec() } as CFArray) == errSecSuccess)
        }
        #expect(SecTrustSetVerifyDate(made, date) == errSecSuccess)
        return made
    }

    private func isTrusted(_ trust: SecTrust) -> Bool { SecTrustEvaluateWithError(trust, nil) }

    /// The same certificate is trusted at one moment and not at another, and each evaluation counts anew.
    @Test func theMomentCounts() throws {
        let all = try Self.three()
        let trust = try trust(all, nil, [all[2]])
        #expect(isTrusted(trust))
        #expect(SecTrustCopyKey(trust) != nil)
        #expect(SecTrustSetVerifyDate(trust, TestCertificate.now + 3_601) == errSecSuccess)
        // Neither the chain nor the key of the earlier evaluation is handed out.
        #expect(SecTrustCopyKey(trust) == nil)
        #expect(!isTrusted(trust))
        for moment in [Date.distantPast, .distantFuture + 1e12, Date(timeIntervalSince1970: .nan)] {
            #expect(SecTrustSetVerifyDate(trust, moment) == errSecParam)
        }
    }

    /// S1-PIN-01, S1-PIN-05: without anchors of one's own the system's count, which know none of these; with them the system's do not.
    @Test func whichAnchorsCountIsChosen() throws {
        let all = try Self.three()
        let trust = try trust(all, nil, nil)
        #expect(!isTrusted(trust))
        #expect(SecTrustSetAnchorCertificates(trust, [try all[2].sec()]) == errSecSuccess)
        #expect(isTrusted(trust))
        #expect(SecTrustSetAnchorCertificatesOnly(trust, false) == errSecSuccess)
        #expect(isTrusted(trust))
        #expect(SecTrustSetAnchorCertificates(trust, nil) == errSecSuccess)
        #expect(!isTrusted(trust))
        #expect(SecTrustSetAnchorCertificatesOnly(trust, true) == errSecSuccess)
        #expect(!isTrusted(trust))
    }

    /// Several policies must all be met.
    @Test func everyPolicyCounts() throws {
        let all = try Self.three()
        let trust = try trust(
            all, [SecPolicyCreateBasicX509(), SecPolicyCreateSSL(true, "assets.example.org")], [all[2]])
        #expect(isTrusted(trust))
        #expect(SecTrustSetPolicies(trust, SecPolicyCreateSSL(false, nil)) == errSecSuccess)
        #expect(!isTrusted(trust))
        let both = [SecPolicyCreateSSL(true, nil), SecPolicyCreateSSL(true, "other.example.org")]
        #expect(SecTrustSetPolicies(trust, both) == errSecSuccess)
        #expect(!isTrusted(trust))
        #expect(SecTrustSetPolicies(trust, [SecPolicy]()) == errSecParam)
        #expect(SecTrustSetPolicies(trust, "no policy") == errSecParam)
    }

    /// What cannot be judged is refused when it is handed over, and so is more than there may be.
    @Test func whatIsNoChainIsRefused() throws {
        let one = try TestCertificate("Root").sec()
        let many: [([Any], OSStatus)] = [
            ([one], errSecSuccess), (Array(repeating: one, count: 16), errSecSuccess),
            (Array(repeating: one, count: 17), errSecParam), ([], errSecParam), ([one, "text"], errSecParam),
        ]
        for (certificates, expected) in many {
            var trust: SecTrust?
            let status = unsafe SecTrustCreateWithCertificates(certificates, nil, &trust)
            #expect(status == expected && (trust != nil) == (expected == errSecSuccess))
        }
        var trust: SecTrust?
        let status = unsafe SecTrustCreateWithCertificates(one, SecPolicyCreateBasicX509(), &trust)
        #expect(status == errSecSuccess)
        let made = try #require(trust)
        #expect(SecTrustSetAnchorCertificates(made, Array(repeating: one, count: 128)) == errSecSuccess)
        #expect(SecTrustSetAnchorCertificates(made, Array(repeating: one, count: 129)) == errSecParam)
        #expect(SecTrustSetAnchorCertificates(made, ["text"]) == errSecParam)
        let refused = unsafe SecTrustCreateWithCertificates("text", nil, &trust)
        #expect(refused == errSecParam && trust == nil)
    }

    /// Authorities that have all certified each other make more chains than can be tried; the search ends all the same.
    @Test func certificatesThatIssueEachOtherDoNotHoldTheCallerUp() throws {
        let one = try TestCertificate("Maze")
        let maze = try (0..<14).map {
            try TestCertificate("Maze", by: one, hosts: [.dnsName("\($0).example.org")], key: one.key)
        }
        let server = try Self.server(one)
        let trust = try trust(
            [server] + maze, SecPolicyCreateSSL(true, "assets.example.org"), [try TestCertificate("R")])
        var error: CFError?
        let begin = ContinuousClock.now
        let trusted = unsafe SecTrustEvaluateWithError(trust, &error)
        #expect(!trusted)
        // All of them would take years.
        #expect(ContinuousClock.now - begin < .seconds(300))
        #expect(error?.code == Int(errSecNotTrusted))
    }

    /// The runtime's pool of threads may be busy with callers that wait: each is answered by its own thread.
    @Test func manyTasksMayEvaluateAtOnce() async throws {
        let all = try Self.three()
        let trust = try trust(all, nil, [all[2]])
        let trusted = await withTaskGroup(of: Bool.self, returning: Int.self) { group in
            for _ in 0..<64 { group.addTask { isTrusted(trust) } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(trusted == 64)
    }

    /// D7: source for iOS, in a module without our settings, gets the server's key.
    @Test func sourceForIOSEvaluatesAServer() throws {
        let all = try Self.three()
        let chain = try all.map { try $0.sec() }
        let key = try trustedKey(
            of: Array(chain.prefix(2)), host: "assets.example.org", authorities: [chain[2]], at: TestCertificate.now)
        #expect(key == SecCertificateCopyKey(chain[0]))
        let error = #expect(throws: CFError.self) {
            try trustedKey(of: chain, host: "other.example.org", authorities: [chain[2]], at: TestCertificate.now)
        }
        #expect(error?.code == Int(errSecHostNameMismatch))
    }

    /// A name is the certificate's own or none.
    @Test func aCommonNameIsGivenWhereThereIsOne() throws {
        #expect(commonName(of: try TestCertificate("Root").sec()) == "Root")
        let nameless = try TestCertificate(nil).sec()
        #expect(commonName(of: nameless) == nil && SecCertificateCopySubjectSummary(nameless) == nil)
    }
}
