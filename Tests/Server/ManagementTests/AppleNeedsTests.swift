import DeviceMessages
import Foundation
import Testing

@testable import Management

/// What Apple devices need of a server, as it follows from what the server has.
@Suite struct AppleNeedsTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static func push(days: Double?, isCertificate: Bool = true) -> PushCredentialRecord {
        PushCredentialRecord(
            topic: "com.apple.mgmt.External.test", isCertificate: isCertificate,
            expires: days.map { now + $0 * 86_400 }, author: "admin", uploaded: now,
            counts: PushCounts(reachable: 3, retired: 1))
    }

    private static func offer(
        _ means: EnrollmentOffer.Means = .scep, at baseURL: String = "https://mdm.example.com:8443"
    ) -> EnrollmentOffer {
        EnrollmentOffer(authority: Data([1]), baseURL: baseURL, organization: "Example", means: means)
    }

    private static func needs(
        push: PushCredentialRecord? = nil, offer: EnrollmentOffer? = AppleNeedsTests.offer(), own: Bool = false
    ) -> AppleNeeds {
        AppleNeeds(AppleNeeds.Facts(push: push, offer: offer, showsOwnCertificate: own), at: now)
    }

    private static func need(_ name: AppleNeed.Name, of needs: AppleNeeds) throws -> AppleNeed {
        try #require(needs.needs.first { $0.name == name })
    }

    @Test func eachNeedIsJudgedOnceAndSaysWhatToKnow() {
        let needs = Self.needs(push: Self.push(days: 300))
        #expect(needs.needs.map(\.name) == AppleNeed.Name.allCases)
        #expect(needs.needs.allSatisfy { $0.detail.hasSuffix(".") })
    }

    /// Red where a certificate that has ended, or that Apple never takes, is taken for one that wakes devices.
    @Test(
        arguments: [
            (nil, true, .missing), (nil, false, .missing), (300, true, .met), (59, true, .attention),
            (6, true, .attention), (0, true, .missing), (-1, true, .missing),
        ] as [(Double?, Bool, AppleNeed.State)])
    func aPushCertificateIsThereUntilItEnds(days: Double?, isCertificate: Bool, state: AppleNeed.State) throws {
        let push = days == nil && isCertificate ? nil : Self.push(days: days, isCertificate: isCertificate)
        let need = try Self.need(.pushCertificate, of: Self.needs(push: push))
        #expect(need.state == state)
        if state == .attention || state == .met { #expect(need.detail.contains("wakes 3 enrollments; 1 have")) }
    }

    /// What is shown of the profile is what the profile of a device says.
    @Test func theProfileIsThatWhichDevicesGet() {
        let needs = Self.needs(push: Self.push(days: 300))
        let mdm = Self.offer().profile(right: "code", topic: "com.apple.mgmt.External.test").mdm
        #expect(needs.topic == mdm.topic && needs.topic == "com.apple.mgmt.External.test")
        #expect(needs.capabilities == mdm.serverCapabilities && !needs.capabilities.isEmpty)
        let without = Self.needs()
        #expect(without.topic == Self.offer().profile(right: "code").mdm.topic)
        let nobody = Self.needs(offer: nil)
        #expect(nobody.topic == nil && nobody.capabilities == [] && nobody.means == nil)
    }

    @Test(
        arguments: [(.scep, .met), (.acme, .met), (.attestedACME, .attention), (nil, .missing)]
            as [(EnrollmentOffer.Means?, AppleNeed.State)])
    func identitiesComeByTheMeansOfTheServer(means: EnrollmentOffer.Means?, state: AppleNeed.State) throws {
        let needs = Self.needs(offer: means.map { Self.offer($0) })
        #expect(needs.means == means)
        #expect(try Self.need(.profile, of: needs).state == state)
    }

    /// What cannot be seen from the server is never called met.
    @Test func whatTheServerCannotSeeIsNotVerified() throws {
        #expect(try Self.need(.serverCertificate, of: Self.needs(own: false)).state == .unverified)
        #expect(try Self.need(.serverCertificate, of: Self.needs(own: true)).state == .attention)
        #expect(try Self.need(.pushService, of: Self.needs(push: Self.push(days: 300))).state == .unverified)
    }

    @Test(
        arguments: [
            ("https://mdm.example.com:8443", .unverified), ("https://10.0.0.1", .unverified),
            ("https://localhost:8443", .missing), ("https://LOCALHOST", .missing), ("https://a.localhost", .missing),
            ("https://127.0.0.1:8443", .missing), ("https://[::1]:8443", .missing),
        ] as [(String, AppleNeed.State)])
    func anAddressThatIsTheDevicesOwnReachesNoServer(baseURL: String, state: AppleNeed.State) throws {
        let needs = Self.needs(offer: Self.offer(at: baseURL))
        #expect(try Self.need(.address, of: needs).state == state)
    }

    /// The page in `docs` and the server list the same: each point of the page begins one of the server's sentences.
    @Test func whatWasNotTriedIsThatOfThePage() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/apple-devices.md").standardizedFileURL
        let text = try String(contentsOf: page, encoding: .utf8)
        let part = try #require(text.components(separatedBy: "## What could not be tried\n").dropFirst().first)
        let points = part.components(separatedBy: "\n").filter { $0.hasPrefix("* **") }
            .compactMap { $0.dropFirst(4).components(separatedBy: "**").first }
        #expect(points.count == AppleNeeds.untried.count)
        for (point, sentence) in zip(points, AppleNeeds.untried) { #expect(sentence.hasPrefix(point)) }
    }
}
