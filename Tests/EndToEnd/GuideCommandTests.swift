import Foundation
import GuideBlocks
import Testing

/// The commands of the guides, word for word.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct GuideCommandTests {
    /// Blocks that share a server and a folder, in the order of the text: those of a guide, unless their note names another.
    private static let sessions: [(name: String, blocks: [GuideBlock])] = {
        let blocks = ((try? Guide.all()) ?? []).flatMap(\.blocks).filter {
            ["sh", "console"].contains($0.language) && $0.note("quotes") == nil && $0.note("done by") == nil
        }
        return Dictionary(grouping: blocks) { $0.note("session:") ?? $0.guide }.map { ($0.key, $0.value) }
            .sorted { $0.name < $1.name }
    }()

    @Test func everyPerspectiveHasCommands() {
        #expect(Set(Self.sessions.map(\.name)).isSuperset(of: ["Administrators", "AppDevelopers", "Integrators"]))
        #expect(Self.sessions.first { $0.name == "Administrators" }.map { $0.blocks.count > 15 } == true)
    }

    /// S4-CAP-04: every command of the guides does what it says, with a real server and the real command line tool.
    @Test(arguments: sessions.map(\.name)) func everyCommandOfAGuideWorks(session: String) async throws {
        let blocks = try #require(Self.sessions.first { $0.name == session }).blocks
        try await Road.with { road in
            let desk = try await GuideDesk(on: road)
            // A package that is there already is not replaced by the guide's own build of it.
            if session == "AppDevelopers" { _ = try await desk.shell("rm landmarks.tar.zst") }
            for block in blocks {
                for (command, promised) in block.commands {
                    let (status, text) = try await desk.shell(command)
                    #expect(status == 0, "\(block): \(command): \(text)")
                    for line in promised {
                        #expect(GuideBlock.says(line, in: text), "\(block): \(command) says \(text)")
                    }
                    for value in ["planted-one", "planted-two", "planted-badge", "planted-own", "planted-person"] {
                        #expect(!text.contains(value), "\(block): \(command)")
                    }
                }
            }
            guard session == "Administrators" else { return }
            let entries = try await road.martlet("audit", "list", "--json")
            for action in [
                "secret.set", "secret.assign", "secret.unassign", "secret.remove", "secret.values.set", "person.set",
                "device.person.set", "device.person.remove", "person.remove",
            ] {
                #expect(entries.contains("\"\(action)\""))
            }
        }
    }

    /// A wrong password of a PKCS #12 file is said at once, and the tool ends as for every refusal.
    @Test func aWrongPasswordOfAnIdentityIsRefusedAtOnce() async throws {
        try await Road.with { road in
            let desk = try await GuideDesk(on: road)
            let (status, text) = try await desk.shell(
                "martlet secret set badge --pkcs12 badge.p12 --password-stdin < password.txt")
            #expect(status == 4, "\(text)")
            #expect(text.contains("the password does not open the file"), "\(text)")
            #expect(!text.contains("planted"))
            #expect(try await desk.shell("martlet secret show badge").status == 3)
        }
    }

    /// S4-SEC-01: while a value is set it stands in no argument of the tool.
    @Test func withoutTerminalAndInputNoPasswordIsTaken() async throws {
        try await Road.with { road in
            let desk = try await GuideDesk(on: road)
            let (status, text) = try await desk.shell("martlet secret set s < /dev/null")
            #expect(status == 1 && text.contains("--password-stdin"), "\(text)")
            let argument = try await desk.shell("martlet secret set s --password hunter2")
            #expect(argument.status == 64, "\(argument.text)")
        }
    }
}
