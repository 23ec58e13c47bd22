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
}
