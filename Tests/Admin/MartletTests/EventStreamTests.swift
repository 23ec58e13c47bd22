import AdminMessages
import Foundation
import Testing

@testable import martlet

/// What `martlet watch` makes of a stream.
struct EventStreamTests {
    private static let stream = """
        retry: 2000
        id: r-1

        id: r-2
        event: change
        data: {"a":
        data: 1}

        :

        :
        id: r-5

        event: reset
        data:

        data: whole
        id: r-9
        event: change

        event: change
        data: not whole
        """

    /// However it is cut, the same events come of it, and the id of the last whole one is the one to go on with.
    @Test(arguments: [1, 2, 3, 7, 1_000]) func aStreamIsReadHoweverItIsCut(size: Int) throws {
        for ending in ["\n", "\r\n"] {
            var reader = EventStreamReader(after: "r-0")
            var events: [EventStreamReader.Event] = []
            let bytes = Array(Self.stream.replacing("\n", with: ending).utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                guard let new = reader.read(bytes[start..<min(start + size, bytes.count)]) else {
                    Issue.record("it is a stream of events")
                    return
                }
                events += new
            }
            #expect(
                events.map { "\($0.name) \($0.data)" } == ["change {\"a\":\n1}", "reset ", "change whole"])
            #expect(reader.lastID == "r-9")
        }
    }

    @Test func whatHasNoEndIsNoStream() {
        var reader = EventStreamReader()
        let part = Array(repeating: UInt8(ascii: "a"), count: EventStreamReader.longestLine)
        let first = reader.read(part)
        #expect(first == [])
        let second = reader.read(part)
        #expect(second == nil)
    }

    /// Longer each time, up to a bound, and never a fixed moment at which all who lost their connection come at once.
    @Test func pausesGrowAndAreSpread() {
        var (early, late) = (ReconnectionPause(), ReconnectionPause())
        var last = Duration.zero
        for _ in 1...10 {
            let (shortest, longest) = (early.next(random: 0), late.next(random: 0.999))
            #expect(shortest >= last / 2 && longest > shortest && longest <= .seconds(ReconnectionPause.longest))
            #expect(shortest >= .milliseconds(250))
            last = shortest
        }
        #expect(last == .seconds(ReconnectionPause.longest / 2))
    }

    @Test func anEventIsOneLineThatSteersNoTerminal() {
        let event = ChangeEvent(
            id: "r-1", kind: "configuration.set", time: Date(timeIntervalSince1970: 0), app: "a.b",
            name: "main\u{1B}[2J\n", version: 2, actor: "administrator:anna")
        let line = EventText.line(event)
        #expect(line.hasPrefix("1970-01-01T00:00:00Z  configuration.set  a.b  main"))
        #expect(line.hasSuffix("version 2  by administrator:anna"))
        #expect(!line.unicodeScalars.contains { $0.value < 32 })
    }
}
