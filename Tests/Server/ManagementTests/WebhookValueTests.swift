import Foundation
import InputBounds
import Testing

@testable import Management

/// The values of webhooks: addresses, events, signatures, and the times of new attempts.
struct WebhookValueTests {
    private static let start = Date(timeIntervalSince1970: 1_800_000_000)

    // MARK: Events

    @Test(arguments: [
        (["*"], nil), (["secret.*", "*"], nil), (["group.rule.*"], ["group.rule.set", "group.rule.remove"]),
        (["app.set", "app.set", "device.enroll"], ["app.set", "device.enroll"]),
    ])
    func aPatternNamesTheActionsItMeans(patterns: [String], actions: [String]?) throws {
        let events = try WebhookEvents(parsing: patterns)
        #expect(events.actions == actions)
        #expect(events.patterns == Set(patterns).sorted())
    }

    @Test(arguments: [
        [], ["secret"], ["secret*"], [".*"], ["nothing.set"], ["nothing.*"], [""], ["app.set", "no"], ["app.set.*"],
        (0...50).map { "\($0)" },
    ])
    func whatNamesNothingIsRefused(patterns: [String]) {
        #expect(throws: AdminRefusal.self) { try WebhookEvents(parsing: patterns) }
    }

    /// Red where who mistyped one learned nothing of the problems of apps and devices.
    @Test func theRefusalNamesEachKindOfEvent() {
        let refusal = #expect(throws: AdminRefusal.self) { try WebhookEvents(parsing: ["secrt.*"]) }
        for kind in ["secret.*", "alert.*", ": *", WebhookEvents.feedback] {
            #expect("\(String(describing: refusal))".contains(kind), "\(kind)")
        }
    }

    @Test(arguments: [
        (["secrt.*"], " Did you mean \"secret.*\"?"), (["*", "app.feedbak"], " Did you mean \"app.feedback\"?"),
        (["group.creat"], " Did you mean \"group.create\"?"), (["group.rul.*"], " Did you mean \"group.rule.*\"?"),
        (["x.y"], "\(WebhookEvents.feedback)."),
    ])
    func theRefusalEndsWithTheNearestEvent(patterns: [String], end: String) throws {
        let refusal = try #require(throws: AdminRefusal.self) { try WebhookEvents(parsing: patterns) }
        #expect(refusal.reason.hasSuffix(end), "\(refusal.reason)")
    }

    /// After a restore, numbers repeat: red if a new test has the identifier of an earlier one, so that a receiver
    /// drops it.
    @Test func aTestHasOneIdentifierThatNoOtherHas() {
        func test(_ number: Int, created: Date) -> String {
            WebhookMessage(test: number, of: "tickets", created: created, sent: Self.start + 9).id
        }
        #expect(test(7, created: Self.start) == test(7, created: Self.start))
        #expect(test(7, created: Self.start) != test(7, created: Self.start + 3_600))
        #expect(test(7, created: Self.start) != test(8, created: Self.start))
    }

    // MARK: Addresses

    @Test(arguments: [
        "93.184.216.34", "8.8.8.8", "172.15.255.255", "172.32.0.1", "192.167.255.255", "100.63.255.255",
        "100.128.0.1", "2606:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::808:808",
    ])
    func whatIsPublicMayBeReachedOverTLSAlone(text: String) throws {
        let address = try #require(NetworkRange.address(text))
        #expect(AddressPolicy().mayReach(address, inTheClear: false))
        #expect(!AddressPolicy(allowsPlainHTTP: true).mayReach(address, inTheClear: true))
    }

    @Test(arguments: [
        "127.0.0.1", "127.255.255.254", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
        "100.64.0.1", "100.127.255.255", "0.0.0.0", "192.0.0.8", "192.0.2.1", "198.18.0.1", "198.51.100.1",
        "203.0.113.9", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "fd12::1",
        "ff02::1", "2001:db8::1", "2002:7f00:1::", "2001::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254",
        "64:ff9b::7f00:1", "::127.0.0.1",
    ])
    func whatIsNotPublicIsReachedOnlyIfTheOperatorNamesIt(text: String) throws {
        let address = try #require(NetworkRange.address(text))
        #expect(!AddressPolicy().mayReach(address, inTheClear: false))
        #expect(!AddressPolicy(allowsPlainHTTP: true).mayReach(address, inTheClear: true))
        let all = ["0.0.0.0/0", "::/0"].compactMap { NetworkRange(parsing: $0) }
        #expect(AddressPolicy(allowed: all).mayReach(address, inTheClear: false))
        #expect(AddressPolicy(allowed: all, allowsPlainHTTP: true).mayReach(address, inTheClear: true))
    }

    @Test func eventsGoInTheClearToThisMachineAloneUnlessTheOperatorSaysOtherwise() throws {
        let named = ["127.0.0.0/8", "10.0.0.0/8"].compactMap { NetworkRange(parsing: $0) }
        let loopback = try #require(NetworkRange.address("127.0.0.1"))
        let other = try #require(NetworkRange.address("10.0.0.1"))
        #expect(AddressPolicy(allowed: named).mayReach(loopback, inTheClear: true))
        #expect(!AddressPolicy(allowed: named).mayReach(other, inTheClear: true))
        #expect(AddressPolicy(allowed: named, allowsPlainHTTP: true).mayReach(other, inTheClear: true))
        #expect(!AddressPolicy().mayReach(loopback, inTheClear: true))
    }

    @Test(arguments: [
        "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/", "10.0.0.1/8", "10.0.0/8", "name/8", "", "/8",
        "::1/129", "fd00::1/8", "10.0.0.0/8/8",
    ])
    func whatIsNoNetworkIsRefused(text: String) { #expect(NetworkRange(parsing: text) == nil) }

    @Test(arguments: [
        "https://example.com/a?b=c", "https://example.com:8443/", "https://93.184.216.34/",
        "https://[2606:4700::1111]/",
        "https://xn--bcher-kva.example/",
    ])
    func anAddressIsAnHTTPSURL(text: String) throws {
        let address = try WebhookAddress(parsing: text, AddressPolicy())
        #expect(address.text == text && !address.isPlain && !address.host.contains("["))
    }

    @Test(arguments: [
        "http://example.com/", "ftp://example.com/", "https://", "https://user@example.com/",
        "https://user:password@example.com/", "https://example.com/#a", "https://127.0.0.1/", "https://[::1]/",
        "https://169.254.169.254/latest", "https://example.com/ a", "https://example.com/ä", "example.com",
        "https://example.com:0/", "https://example.com:70000/", "http://127.0.0.1/", "",
        "https://example.com/" + String(repeating: "a", count: 2_048),
    ])
    func everyOtherAddressIsRefused(text: String) {
        #expect(throws: AdminRefusal.self) { try WebhookAddress(parsing: text, AddressPolicy()) }
    }

    // MARK: Signatures

    /// The example of the Standard Webhooks' own documentation.
    @Test func aSignatureIsThatOfStandardWebhooks() throws {
        let bytes = try #require(Data(base64Encoded: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let message = WebhookMessage(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: Data(#"{"test": 2432232314}"#.utf8))
        let secret = WebhookSecret(bytes: bytes)
        #expect(secret.signature(of: message) == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        let headers = Dictionary(uniqueKeysWithValues: message.headers(signedBy: [secret, secret]).map { ($0, $1) })
        #expect(headers["webhook-signature"]?.split(separator: " ").count == 2)
        #expect(headers["webhook-timestamp"] == "1614265330")
    }

    @Test func anEventTellsWhoDidWhatToWhatAndNothingElse() throws {
        let entry = AuditEntry(
            after: nil, time: Self.start, actor: "administrator:admin", action: .setSecret, subject: "wifi",
            details: #"{"planted":"detail"}"#)
        let message = WebhookMessage(entry, sent: Self.start + 60)
        let body = try JSONValue(parsing: message.body, limits: InputLimits(bytes: 4_096, objects: 100))
        #expect(body["type"]?.string == "secret.set" && body["timestamp"]?.string == "2027-01-15T08:00:00Z")
        #expect(
            body["data"]?.object?.keys.sorted() == ["action", "actor", "hash", "sequence", "subject"])
        #expect(!String(decoding: message.body, as: UTF8.self).contains("planted"))
        #expect(WebhookMessage(entry, sent: Self.start + 999).id == message.id)
        #expect(message.timestamp == 1_800_000_060)
    }

    // MARK: When it is tried again

    @Test func pausesDoubleUpToAnHourAndAreDrawnFromTheirLaterHalf() {
        for (jitter, share) in [(0.0, 0.5), (1.0, 1.0), (0.5, 0.75), (7.0, 1.0)] {
            var course = WebhookCourse()
            var pauses: [TimeInterval] = []
            for _ in 1...12 {
                course.settle(.fault(.timeout), now: Self.start, jitter: jitter)
                pauses.append((course.next ?? Self.start).timeIntervalSince(Self.start))
            }
            let whole: [TimeInterval] = [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600]
            #expect(pauses == whole.map { $0 * share })
            #expect(course.failures == 12 && course.problem == WebhookFault.timeout.rawValue)
        }
    }

    @Test func aBusyReceiverSaysWhenToComeAgainWithinAnHour() {
        for (status, wish, expected) in [
            (503, 100.0, 100.0), (429, 100, 100), (503, 9_999, 3_600), (503, 1, 5), (500, 100, 5),
        ] {
            var course = WebhookCourse()
            course.settle(.status(status, retryAfter: wish), now: Self.start, jitter: 1)
            #expect(course.next == Self.start + expected, "\(status) \(wish)")
        }
    }

    @Test func oneThatFailsForDaysIsGivenUpButNotOneThatWasHardlyTried() {
        var course = WebhookCourse()
        course.settle(.status(500), now: Self.start, jitter: 1)
        let days = Self.start + 6 * 24 * 3_600
        for _ in 2..<WebhookCourse.leastAttempts { course.settle(.status(500), now: days, jitter: 1) }
        #expect(course.disabled == nil)
        course.settle(.status(500), now: days, jitter: 1)
        #expect(course.disabled == .init(since: days, reason: .failed))
        course.enable()
        #expect(course.disabled == nil && course.failures == 0 && course.next == nil && course.failingSince == nil)
        for _ in 0...100 { course.settle(.status(500), now: days, jitter: 1) }
        #expect(course.disabled == nil, "it failed often, but not for days")
    }

    /// Red where a webhook that failed for days at its old address was given up at the new one at once.
    @Test func anotherAddressHasItsOwnTime() {
        var course = WebhookCourse()
        for _ in 1..<WebhookCourse.leastAttempts { course.settle(.status(500), now: Self.start, jitter: 1) }
        let later = Self.start + 6 * 24 * 3_600
        course.redirect(now: later)
        #expect(course.failures == 1 && course.failingSince == later && course.next == nil)
        course.settle(.status(500), now: later, jitter: 1)
        #expect(course.disabled == nil)
    }

    @Test func theFirstReasonToBeDisabledStays() {
        var course = WebhookCourse()
        course.disable(.secretForgotten, now: Self.start)
        course.disable(now: Self.start + 9)
        #expect(course.disabled == .init(since: Self.start, reason: .secretForgotten))
    }

    @Test func aReceiverThatIsGoneIsNotAskedAgain() {
        var course = WebhookCourse()
        course.settle(.status(410), now: Self.start, jitter: 1)
        #expect(course.disabled?.reason == .gone)
    }

    @Test(arguments: [199, 300, 302, 400, 404, 500])
    func onlyTwoHundredsAreADelivery(status: Int) {
        var course = WebhookCourse()
        let first = course.settle(.status(status), now: Self.start, jitter: 1)
        #expect(!first && course.failures == 1)
        let second = course.settle(.status(204), now: Self.start + 9, jitter: 1)
        #expect(second)
        #expect(course.failures == 0 && course.problem == nil && course.next == nil)
        #expect(course.lastDelivered == Self.start + 9)
    }
}
