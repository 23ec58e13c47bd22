import DeviceAgent
import Foundation
import Testing

struct WakeAndWaitTests {
    @Test func lineWithOurMagicWakesHoweverItIsCut() {
        let stream = Data("\n{\"mdm\":\"other\"}\n\n{\"mdm\":\"magic\"}\n".utf8)
        for size in 1...stream.count {
            var lines = WakeLines(pushMagic: "magic")
            var wakes = 0
            var rest = stream
            while !rest.isEmpty {
                if lines.take(rest.prefix(size)) { wakes += 1 }
                rest = rest.dropFirst(size)
            }
            #expect(wakes == 1)
        }
    }

    @Test(arguments: ["{\"mdm\":\"other\"}\n", "\n\n\n", "magic\n", "[\"magic\"]\n", "{\"mdm\":\"magic\"}"])
    func nothingElseWakes(_ text: String) {
        var lines = WakeLines(pushMagic: "magic")
        let wakes = lines.take(Data(text.utf8))
        #expect(!wakes)
    }

    @Test func endlessLineIsSkippedAndTheNextOneHeard() {
        var lines = WakeLines(pushMagic: "magic")
        var wakes = false
        for _ in 0..<100 where lines.take(Data(repeating: UInt8(ascii: "x"), count: 10_000)) { wakes = true }
        #expect(!wakes)
        wakes = lines.take(Data("\n{\"mdm\":\"magic\"}\n".utf8))
        #expect(wakes)
    }

    @Test func reasonsGatherUntilTheyAreTaken() async {
        let doorbell = Doorbell()
        doorbell.ring(.commands)
        doorbell.ring(.status)
        #expect(doorbell.take() == [.commands, .status])
        #expect(doorbell.take() == [])
        doorbell.owe(.retry)
        #expect(doorbell.take() == [])
        doorbell.ringOwed()
        #expect(doorbell.take() == .retry)
        doorbell.ringOwed(and: .called)
        #expect(doorbell.take() == [], "nobody called about nothing")
    }

    /// A device that was let go and enrolls again listens anew.
    @Test func aReasonFromBeforeIsHeardByWhoeverListensNext() async {
        let doorbell = Doorbell()
        for _ in 0..<2 {
            doorbell.ring(.look)
            for await _ in doorbell.listen() { break }
            #expect(doorbell.take() == .look)
        }
    }
}
