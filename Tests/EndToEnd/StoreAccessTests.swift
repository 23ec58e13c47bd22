import Foundation
import Testing
import Waiting

/// The agent's directory in the hands of others: A12.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct StoreAccessTests {
    /// S4-LIC-04, S4-SEC-01: no other user reads it or changes it.
    @Test func nobodyElseReadsOrAltersTheStore() async throws {
        try await Road.with { road in
            try await road.enroll()
            try await road.setPassword("account", "planted-value")
            try await road.configure("One")
            try await road.assign()
            try await road.give("account", to: Road.app, as: "account")
            try await road.synchronised()
            let directory = URL(filePath: road.agentDirectory)
            let files = try #require(FileManager.default.enumerator(atPath: directory.path)?.allObjects as? [String])
            #expect(files.contains { $0.hasSuffix(".generation") } && files.contains { $0.hasPrefix("blobs/") })
            for file in files + ["."] {
                // The agent goes on meanwhile, so a replaced generation must not be read any more.
                guard let attributes = try? FileManager.default.attributesOfItem(atPath: directory.path + "/" + file)
                else { continue }
                let mode = try #require(attributes[.posixPermissions] as? NSNumber).intValue
                switch attributes[.type] as? FileAttributeType {
                // Apps' own users pass through these, and see nothing of what is in them.
                case .typeDirectory? where Road.appsHaveUsers && [".", "app-homes", "managed-apps"].contains(file):
                    #expect(mode == 0o711, "\(file)")
                // Certificates to trust, which are no secret; apps' users may list and watch the directory.
                case .typeDirectory? where Road.appsHaveUsers && file == "trust": #expect(mode == 0o755, "\(file)")
                case .typeDirectory?: #expect(mode == 0o700, "\(file)")
                case .typeRegular?: #expect(mode == 0o600, "\(file)")
                default: break
                }
            }
            guard geteuid() == 0 else { return }
            for attempt in ["ls agent", "cat agent/generations/*", "cat agent/device.key", "touch agent/blobs/x"] {
                let asNobody = "setpriv --reuid=65534 --regid=65534 --clear-groups sh -c '\(attempt)' 2>&1 || true"
                #expect(try await road.shell(asNobody).contains("Permission denied"), "\(attempt)")
            }
        }
    }

    /// S4-LIC-04: one changed byte is noticed and said, and nothing of that generation serves.
    @Test func aChangedByteIsNoticedRefusedAndReported() async throws {
        try await Road.with { road in
            try await road.enroll()
            for title in ["One", "Two"] {
                try await road.configure(title)
                if title == "One" { try await road.assign() }
                try await road.synchronised()
            }
            let app = try road.openLandmarks()
            _ = try await app.line(containing: "Managed Collection: Two")
            try await road.stop(road.agent)
            try flip(try #require(try generations(road).last))
            try await road.startAgent()
            _ = try await road.agent.line(containing: "a torn or changed generation was set aside")
            // If only that generation knew of the app's launch, nobody vouches for its process any more: another one.
            let again = try road.openLandmarks()
            _ = try await again.line(containing: "Managed Collection: Two")
            try await road.configure("Three")
            _ = try await again.line(containing: "Managed Collection: Three")
            try await road.synchronised()
            try await eventually("the administrator sees it") {
                try await road.deviceShown().contains(
                    /damaged +newest generation, noticed [0-9TZ:-]+; replaced by a synchronization/)
            }

            // Every one of them: rather than begin anew in silence, the agent does not start, and says what to do.
            try await road.stop(road.agent)
            for file in try generations(road) { try flip(file) }
            let refused = try road.launchAgent()
            #expect(try await refused.exit() == 1)
            try await refused.drained()
            let said = refused.output.map(\.text).joined(separator: "\n")
            #expect(said.contains("no generation in the agent's directory is whole"), "\(said)")
            #expect(said.contains("enroll again"), "\(said)")
        }
    }

    /// The files of the generations, the newest last.
    private func generations(_ road: Road) throws -> [URL] {
        let folder = URL(filePath: road.agentDirectory + "/generations")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let numbers = names.filter { $0.hasSuffix(".generation") }.compactMap { Int($0.prefix { $0 != "." }) }
        return numbers.sorted().map { folder.appending(path: "\($0).generation") }
    }

    private func flip(_ file: URL) throws {
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: file)
    }
}
