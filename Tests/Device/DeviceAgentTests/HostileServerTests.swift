import DeviceAgent
import DeviceMessages
import Foundation
import InputBounds
import Synchronization
import TestLog
import Testing

/// An enrolled device in front of a server that fails, lies, or is not the one it says it is.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct HostileServerTests {
    /// What goes wrong, and what the log must say about it.
    struct Trouble: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let says: String
        var asset: DataAsset?
        var mendsByItself = true
        let fault: PlayedManagement.Fault?

        init(
            _ name: String, says: String, asset: DataAsset? = nil, mendsByItself: Bool = true,
            fault: PlayedManagement.Fault? = nil
        ) {
            (testDescription, self.says, self.asset, self.fault) = (name, says, asset, fault)
            self.mendsByItself = mendsByItself
        }

        /// The same answer to everything asked under a name that begins so.
        init(_ name: String, at asked: String, says: String, _ answer: ScriptedServer.Answer) {
            self.init(name, says: says) { $0.hasPrefix(asked) ? answer : nil }
        }
    }

    static let troubles: [Trouble] = [
        Trouble("500 to tokens", at: "tokens", says: "the server answered 500", .reply(500)),
        Trouble("503 to the manifest", at: "declaration-items", says: "the server is busy", .reply(503)),
        Trouble("403 without the code", at: "tokens", says: "the server answered 403", .reply(403)),
        Trouble(
            "an answer that ends midway", at: "declaration/asset", says: "cannot be reached",
            .cutOff(promised: 500, sent: Data("{\"Type\":".utf8))),
        Trouble(
            "no JSON", at: "declaration-items", says: "breaks the protocol", .reply(200, body: Data("{\"a\"".utf8))),
        Trouble(
            "another declaration than asked for", at: "declaration/configuration", says: "another declaration",
            .reply(
                200,
                body: Declaration(identifier: "other", serverToken: "2", StatusSubscriptions(names: [])).encoded())),
        Trouble(
            "a manifest above the bound", at: "declaration-items", says: "larger than allowed",
            .reply(200, body: Data(repeating: 0x20, count: InputLimits.message.bytes + 1))),
        Trouble(
            "a redirection to plain text", at: "tokens", says: "not https",
            .reply(302, headers: ["location": "http://localhost:1/"])),
        Trouble(
            "redirections without end", at: "tokens", says: "redirects too often",
            .reply(307, headers: ["location": "/checkin"])),
        Trouble("an asset that is gone", at: "asset", says: "the server answered 404", .reply(404)),
        Trouble(
            "an asset that ends midway", at: "asset", says: "cannot be reached",
            .cutOff(promised: 500, sent: Data("<plist".utf8))),
        Trouble(
            "an asset of another type", at: "asset", says: "the media type is not the declared one",
            .reply(200, headers: ["content-type": "text/html"], body: PlayedManagement.configuration(2))),
        Trouble(
            "an asset of another size", at: "asset", says: "the size is not the declared one",
            .reply(200, headers: ["content-type": MediaType.configuration], body: Data("<plist/>".utf8))),
        Trouble(
            "an asset of the right size with other bytes", at: "asset", says: "the SHA-256 is not the declared one",
            .reply(
                200, headers: ["content-type": MediaType.configuration],
                body: Data(repeating: 0x20, count: PlayedManagement.configuration(2).count))),
        Trouble(
            "an asset above the bound", at: "asset", says: "at most 1048576 bytes",
            .reply(200, headers: ["content-type": MediaType.configuration], body: Data(count: 1_048_578))),
    ]

    /// S4-API-13, D9: whatever the server does, the last good generation serves, the log says why, and a good server is
    /// heard again.
    @Test(arguments: troubles)
    func theLastGoodGenerationServesAndTheLogSaysWhy(_ trouble: Trouble) async throws {
        try await EnrolledDevice.run { fixture in
            try await fixture.serves(1)
            fixture.management.publish(2, fault: trouble.fault)
            fixture.doorbell.ring(.look)
            try await fixture.eventually("the log says “\(trouble.says)”") { fixture.log.say(trouble.says) }
            #expect(fixture.configuration == PlayedManagement.configuration(1).digest)
            #expect(try fixture.content() == PlayedManagement.configuration(1))
            fixture.management.publish(3)
            fixture.doorbell.ring(.look)
            try await fixture.serves(3)
        }
    }

    /// N07: a server whose certificate is not by the pinned authority is not spoken to.
    @Test func aServerThatIsNotOursIsNotSpokenTo() async throws {
        try await EnrolledDevice.run { fixture in
            try await fixture.serves(1)
            // The report is the last word of the conversation: nothing is under way after it.
            try await fixture.eventually("a report") { fixture.management.reports.count == 1 }
            fixture.management.publish(2)
            try await fixture.server.pretendToBeSomebodyElse()
            let asked = fixture.management.asked.count
            fixture.doorbell.ring([.look, .commands])
            try await fixture.eventually("the log says so") { fixture.log.say("cannot be trusted") }
            #expect(fixture.management.asked.count == asked, "nothing was said to it")
            #expect(fixture.configuration == PlayedManagement.configuration(1).digest)
            try await fixture.server.beItselfAgain()
            try await fixture.serves(2)
        }
    }

    /// Only the server's own word unenrols; a fault never does (D13).
    @Test func onlyTheServersWordUnenrols() async throws {
        try await EnrolledDevice.run { fixture in
            try await fixture.serves(1)
            fixture.management.publish(1) { asked in
                asked == "command" ? .reply(403, body: Data("{\"code\":\"com.example.other\"}".utf8)) : nil
            }
            fixture.doorbell.ring(.commands)
            try await fixture.eventually("the log says so") { fixture.log.say("the server answered 403") }
            #expect(fixture.device.known.enrollment != nil)
            fixture.management.publish(1) { asked in
                asked == "command"
                    ? .reply(403, body: Data("{\"code\":\"\(DeviceErrorDocument.unrecognizedDevice)\"}".utf8)) : nil
            }
            try await fixture.eventually("the enrollment is gone") { fixture.device.known.enrollment == nil }
            #expect(fixture.device.known.applied.apps.isEmpty)
        }
    }

    /// A server that is overloaded is left alone as long as it asks, however often it wakes its devices.
    @Test func aWakeUpDoesNotShortenAnOverloadedServersWait() async throws {
        let busy: PlayedManagement.Fault = { asked in
            switch asked {
            case "command": .reply(503, headers: ["retry-after": "3600"])
            case "wake": .lines("{\"mdm\":\"magic\"}", every: .milliseconds(5))
            default: nil
            }
        }
        try await EnrolledDevice.run(wake: true, fault: busy) { fixture in
            try await fixture.eventually("the server said it is busy") { fixture.log.say("busy") }
            // Nothing is to come in this time: a slow machine makes none of it.
            try await Task.sleep(for: .milliseconds(500))
            #expect(fixture.management.asked.count { $0 == "command" } == 1)
        }
    }

    /// Nor does a wake-up stream without end make the device hammer a server that fails.
    @Test func wakeUpsDoNotMakeTheDeviceHammerAServerThatFails() async throws {
        var pace = EnrolledDevice.pace
        pace.retry = Backoff(first: .seconds(600), longest: .seconds(600))
        let failing: PlayedManagement.Fault = { asked in
            switch asked {
            case "command": .reply(500)
            case "wake": .lines("{\"mdm\":\"magic\"}", every: .milliseconds(5))
            default: nil
            }
        }
        try await EnrolledDevice.run(wake: true, pace: pace, fault: failing) { fixture in
            try await fixture.eventually("a second attempt") {
                fixture.management.asked.count { $0 == "command" } >= 2
            }
            // Nothing more is to come in this time: a slow machine makes none of it.
            try await Task.sleep(for: .milliseconds(500))
            #expect(fixture.management.asked.count { $0 == "command" } == 2, "one when called, and then none")
        }
    }

    /// A device that is refused waits for its stream as long as for its conversation: it would fill the server's log.
    @Test func aRefusedWakeStreamIsNotAskedForAgainAndAgain() async throws {
        var pace = EnrolledDevice.pace
        pace.retry = Backoff(first: .seconds(600), longest: .seconds(600))
        try await EnrolledDevice.run(wake: true, pace: pace) { fixture in
            func streams() -> Int { fixture.management.asked.count { $0 == "wake" } }
            // A stream that only ended is opened again at once: so this machine needs that long for a few of them.
            let (begun, first) = (ContinuousClock.now, streams())
            try await fixture.eventually("streams") { streams() >= first + 6 }
            let sixStreams = ContinuousClock.now - begun
            // Counted where they are refused: streams that were opened before this moment are not among them.
            let refused = Tally()
            fixture.management.publish(1) { asked in
                if asked == "wake" { refused.count.withLock { $0 += 1 } }
                return ["wake", "command"].contains(asked) ? .reply(400) : nil
            }
            try await fixture.eventually("a refusal") { refused.count.withLock { $0 } > 0 }
            // No more is to come in this time: a slow machine makes none of it.
            try await Task.sleep(for: sixStreams * 2)
            #expect(refused.count.withLock { $0 } <= 3, "\(fixture.management.asked)")
        }
    }

    private final class Tally: Sendable { let count = Mutex(0) }

    /// An activation whose predicate asks for unknown items does not apply, and the report says so (protocol §7.1).
    @Test func aPredicateWithUnknownItemsIsReported() async throws {
        try await EnrolledDevice.run { fixture in
            fixture.management.publish(2, predicate: "@status(passcode.is-present) == TRUE")
            fixture.doorbell.ring(.look)
            try await fixture.eventually("a report") {
                fixture.management.reports.contains { report in
                    guard let value = report.value(at: DeclarationStatuses.name),
                        let statuses = try? DeclarationStatuses(value), let first = statuses.activations.first
                    else { return false }
                    return !first.active && first.valid == .invalid
                        && first.reasons.map(\.code) == ["Error.UnableToEvaluatePredicate"]
                        && first.reasons.first?.details?["Predicate"]?.string != nil
                        && statuses.configurations.allSatisfy { !$0.active }
                }
            }
            #expect(fixture.device.known.applied.apps.isEmpty)
        }
    }

    /// The first report is full, later ones hold changes alone, and the device repeats a report that was not taken.
    @Test func reportsAreFullOnceAndThenOnlyWhatChanged() async throws {
        try await EnrolledDevice.run { fixture in
            try await fixture.serves(1)
            try await fixture.eventually("a full report") { fixture.management.reports.count == 1 }
            #expect(fixture.management.reports[0].fullReport)
            #expect(fixture.management.reports[0].value(at: ClientCapabilities.name) != nil)
            fixture.management.publish(2) { $0 == "status" ? .reply(500) : nil }
            fixture.doorbell.ring(.look)
            try await fixture.serves(2)
            try await fixture.eventually("a report was refused") { fixture.log.say("the server answered 500") }
            #expect(fixture.management.reports.count == 1)
            fixture.management.publish(2)
            try await fixture.eventually("the second report") { fixture.management.reports.count >= 2 }
            let second = fixture.management.reports[1]
            #expect(!second.fullReport)
            #expect(second.value(at: ClientCapabilities.name) == nil, "it has not changed")
            #expect(second.value(at: DeclarationStatuses.name) != nil)
        }
    }

    /// A report whose answer was lost may have been heard: what it said and what is so now, the next one says in full.
    @Test func afterALostAnswerEverythingIsToldAgain() async throws {
        try await EnrolledDevice.run { fixture in
            try await fixture.serves(1)
            try await fixture.eventually("a full report") { fixture.management.reports.count == 1 }
            fixture.management.publish(2) { $0 == "status" ? .cutOff(promised: 10, sent: Data("x".utf8)) : nil }
            fixture.doorbell.ring(.look)
            try await fixture.serves(2)
            // As it was before: without the doubt nothing would be left to tell.
            try await fixture.eventually("a report was cut off") { fixture.log.say("or did not answer as it should") }
            fixture.management.publish(1)
            fixture.doorbell.ring(.look)
            try await fixture.eventually("the report after it") { fixture.management.reports.count >= 2 }
            #expect(fixture.management.reports[1].fullReport)
        }
    }
}
