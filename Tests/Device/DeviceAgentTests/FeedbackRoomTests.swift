import AppMessages
import DeviceAgent
import DeviceMessages
import Foundation
import Testing

/// What an app was answered is on the disk, and of an app that is not managed nothing is.
struct FeedbackRoomTests {
    private let app = "com.example.app"
    private let feedback = Data("<plist version=\"1.0\"><dict><key>n</key><integer>1</integer></dict></plist>".utf8)

    private func room(in directory: String) throws -> FeedbackRoom {
        let steps = DiskSteps()
        try steps.makeDirectory(directory)
        return FeedbackRoom(
            directory: directory, steps: steps, key: try SealingKey.open(in: directory, mayCreate: true, steps: steps))
    }

    private func answer(
        _ room: FeedbackRoom, _ note: FeedbackNote, isHandOver: Bool = false
    ) async -> Result<FeedbackLife, VarlinkError> {
        await withCheckedContinuation { done in
            room.take(note, of: app, configuration: "", isHandOver: isHandOver, uptime: 0) { result in
                done.resume(returning: result)
            }
        }
    }

    @Test func whatIsAnsweredOutlivesTheAgent() async throws {
        let directory = NSTemporaryDirectory() + "feedback-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let first = try room(in: directory)
        first.keep(only: [app])
        let life = first.life(of: app).life
        let note = FeedbackNote(life: life, sequence: 1, feedback: feedback)
        #expect(try await answer(first, note).get().life == life)

        let second = try room(in: directory)
        second.keep(only: [app])
        #expect(second.life(of: app).feedback == feedback && second.life(of: app).life == life)
        let next = try await answer(second, note, isHandOver: true).get().life
        #expect(next != life && second.waiting.map(\.life) == [life])
        let mode = try FileManager.default.attributesOfItem(atPath: directory + "/feedback")[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)

        let third = try room(in: directory)
        #expect(third.waiting.map(\.feedback) == [feedback])
        third.keep(only: [])
        await third.settle()
        #expect(try room(in: directory).waiting.isEmpty, "a withdrawn app's feedback is forgotten with it")
    }

    @Test func refusesWhatIsBeyondABoundOrNotManaged() async throws {
        let directory = NSTemporaryDirectory() + "feedback-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let room = try self.room(in: directory)
        let life = room.life(of: app).life
        let stranger = await answer(room, FeedbackNote(life: life, sequence: 1, feedback: feedback))
        #expect(stranger == .failure(.permissionDenied))
        room.keep(only: [app])
        for wrong in [Data(count: FeedbackBounds.bytes + 1), Data("no property list".utf8)] {
            let result = await answer(room, FeedbackNote(life: life, sequence: 1, feedback: wrong))
            guard case .failure(let error) = result else { return #expect(Bool(false)) }
            #expect(error.name == "dev.martlet.Defaults.FeedbackRefused")
        }
    }

    /// Past the app's library, by the socket: what is refused is named and counted, and takes nothing of what was there.
    @Test func whatIsHostileIsRefusedByNameAndCountedAndTheLastNoteStays() async throws {
        let directory = NSTemporaryDirectory() + "feedback-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let room = try self.room(in: directory)
        room.keep(only: [app])
        let life = room.life(of: app).life
        #expect(try await answer(room, FeedbackNote(life: life, sequence: 1, feedback: feedback)).get().life == life)
        func nested(_ depth: Int) -> Data {
            let (begin, end) = (String(repeating: "<array>", count: depth), String(repeating: "</array>", count: depth))
            return Data("<plist version=\"1.0\"><dict><key>n</key>\(begin)\(end)</dict></plist>".utf8)
        }
        let hostile: [Data] = [
            nested(10_000), nested(1_000), Data(count: 1 << 20), Data("no property list".utf8),
            Data("<plist version=\"1.0\"><array/></plist>".utf8),
        ]
        for (number, wrong) in hostile.enumerated() {
            let result = await answer(room, FeedbackNote(life: life, sequence: number + 2, feedback: wrong))
            guard case .failure(let error) = result else {
                Issue.record("\(number) was taken")
                continue
            }
            #expect(error.name == "dev.martlet.Defaults.FeedbackRefused", "\(number)")
        }
        // A life that is not the app's own, such as another app's: its note is not stored.
        let foreign = FeedbackNote(life: UUID().uuidString.lowercased(), sequence: 99, feedback: nil)
        #expect(try await answer(room, foreign, isHandOver: true).get().life == life)
        #expect(room.life(of: app).feedback == feedback && room.life(of: app).sequence == 1)

        _ = try await answer(room, FeedbackNote(life: life, sequence: 2, feedback: feedback), isHandOver: true).get()
        #expect(room.waiting.map(\.feedback) == [feedback])
        #expect(room.waiting.map(\.refused) == [hostile.count])
    }

    /// A server that acknowledges what it was never told clears nothing: neither a life that goes on nor one that waits.
    @Test func aServerClearsOnlyWhatWasHandedOver() async throws {
        let directory = NSTemporaryDirectory() + "feedback-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let room = try self.room(in: directory)
        room.keep(only: [app])
        let first = room.life(of: app).life
        let note = FeedbackNote(life: first, sequence: 1, feedback: feedback)
        let second = try await answer(room, note, isHandOver: true).get().life
        _ = try await answer(room, FeedbackNote(life: second, sequence: 1, feedback: feedback)).get()
        try room.reported([second, "a life that nobody knows", ""])
        #expect(room.waiting.map(\.life) == [first])
        #expect(room.life(of: app).life == second && room.life(of: app).feedback == feedback)
        try room.reported([first])
        #expect(room.waiting.isEmpty && room.life(of: app).feedback == feedback)
    }
}
