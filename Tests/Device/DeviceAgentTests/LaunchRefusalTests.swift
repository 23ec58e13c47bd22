import Foundation
import Testing

@testable import DeviceAgent

/// A process that cannot become the app: it runs nothing, and the administrator reads at which step it failed.
@Suite(.timeLimit(.minutes(10)))
struct LaunchRefusalTests {
    private static func bundle(_ program: String, in directory: String = "/") -> AppBundle {
        AppBundle(
            directory: directory, identifier: "com.example.none", name: "None", version: "1", shortVersion: "1",
            executable: program)
    }

    /// The process itself names the step, so an error number is not taken for that of another.
    @Test func aProcessThatCannotBecomeTheAppSaysWhichStepFailed() throws {
        let fixture = try Fixture()
        let missing = #expect(throws: LaunchRefusal.self) {
            try fixture.service.launch(Self.bundle("/nonexistent/program"))
        }
        #expect(missing == LaunchRefusal(step: .program, number: ENOENT))
        let nowhere = #expect(throws: LaunchRefusal.self) {
            try fixture.service.launch(Self.bundle("/bin/true", in: "/nonexistent"))
        }
        #expect(nowhere == LaunchRefusal(step: .directory, number: ENOENT))
        let mute = #expect(throws: LaunchRefusal.self) {
            try fixture.service.launch(Self.bundle("/bin/true"), standardInput: -1)
        }
        #expect(mute == LaunchRefusal(step: .descriptors, number: EBADF))
        #expect(fixture.records.load().isEmpty, "none of them is on record as an app that runs")
    }

    /// Only its directory and its program can be out of the app's reach; all else is about what the agent may do.
    @Test(arguments: LaunchRefusal.Step.allCases)
    func onlyWhatTheAppOpensIsOutOfItsReach(step: LaunchRefusal.Step) {
        let isTheApps = step == .directory || step == .program
        #expect(LaunchRefusal(step: step, number: EACCES).isOutOfReach == isTheApps)
        #expect(!LaunchRefusal(step: step, number: ENOENT).isOutOfReach)
    }

    /// A process that the system holds up is told as that, and not as one that a right is missing to.
    @Test func aProcessThatDoesNotBeginInTimeIsToldAsThat() {
        let sentence = LaunchRefusal(step: .release, number: ETIMEDOUT).description
        #expect(sentence.contains("did not begin") && sentence.contains("file server"), "\(sentence)")
        #expect(!LaunchRefusal(step: .release, number: EPIPE).description.contains("file server"))
    }

    /// Each step has a sentence of its own, with the system's word and what to do.
    @Test func eachStepIsToldInWords() {
        let sentences = LaunchRefusal.Step.allCases.map { LaunchRefusal(step: $0, number: EPERM).description }
        #expect(Set(sentences).count == sentences.count)
        for sentence in sentences {
            #expect(sentence.contains(": Operation not permitted. ") && sentence.hasSuffix("."), "\(sentence)")
        }
        let groups = LaunchRefusal(step: .groups, number: EPERM).description
        #expect(groups.contains("leave the agent's groups") && groups.contains("CAP_SETGID"), "\(groups)")
    }
}
