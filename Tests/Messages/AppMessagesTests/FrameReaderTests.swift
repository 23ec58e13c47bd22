import AppMessages
import Foundation
import Testing

struct FrameReaderTests {
    @Test func cutsAStreamAtEachZeroByte() throws {
        var reader = FrameReader(limit: 10)
        reader.append(Array("one\0two\0th".utf8))
        #expect(try reader.next() == Data("one".utf8))
        #expect(try reader.next() == Data("two".utf8))
        #expect(try reader.next() == nil)
        reader.append(Array("ree\0".utf8))
        #expect(try reader.next() == Data("three".utf8))
        #expect(reader.isEmpty)
    }

    /// S4-SEC-01: a password that was read is not kept until the next message comes.
    @Test func keepsNothingOfAMessageThatWasTaken() throws {
        var reader = FrameReader(limit: 10)
        reader.append(Array("secret\0".utf8))
        #expect(reader.keptBytes == 7)
        #expect(try reader.next() == Data("secret".utf8))
        #expect(reader.keptBytes == 0 && reader.isEmpty)
        #expect(try reader.next() == nil)
        reader.append(Array("more\0and".utf8))
        #expect(try reader.next() == Data("more".utf8))
        #expect(try reader.next() == nil && reader.keptBytes == 3)
    }

    @Test func readsOneByteAtATime() throws {
        var reader = FrameReader(limit: 3)
        var messages: [Data] = []
        for byte in "abc\0d\0".utf8 {
            reader.append(CollectionOfOne(byte))
            while let message = try reader.next() { messages.append(message) }
        }
        #expect(messages == [Data("abc".utf8), Data("d".utf8)])
    }

    @Test func takesAMessageOfExactlyTheLimitAndNotOneByteMore() throws {
        var reader = FrameReader(limit: 4)
        reader.append(Array("1234\0".utf8))
        #expect(try reader.next() == Data("1234".utf8))
        reader.append(Array("12345\0".utf8))
        #expect(throws: FrameRefusal.tooLong) { try reader.next() }
    }

    @Test func refusesALongMessageBeforeItsEnd() {
        var reader = FrameReader(limit: 4)
        reader.append(Array("12345".utf8))
        #expect(throws: FrameRefusal.tooLong) { try reader.next() }
    }

    @Test func refusesAnEmptyMessage() {
        var reader = FrameReader(limit: 4)
        reader.append([0])
        #expect(throws: FrameRefusal.empty) { try reader.next() }
    }
}
