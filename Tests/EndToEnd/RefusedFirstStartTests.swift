import CertificateAuthority
import Foundation
import Testing

/// A first start that cannot serve makes nothing, and says which option or file is to be changed.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct RefusedFirstStartTests {
    /// Red where keys, a database and an administrator stayed, so that `restore` refused the directory.
    @Test func aFirstStartThatCannotServeLeavesNothing() async throws {
        try await Road.with { road in
            let port = String(road.url.split(separator: ":").last ?? "")
            let (unmade, empty) = (road.home.path + "/unmade", road.home.path + "/empty.pem")
            try Data().write(to: URL(filePath: empty))
            let cases: [(options: [String], words: [String])] = [
                (["--port", port], ["port \(port) of 127.0.0.1 is in use", "--port"]),
                (["--port", "0", "--metrics", "127.0.0.1:\(port)"], ["is in use", "--metrics"]),
                (["--port", "0", "--host", "no.such.host.invalid"], ["no.such.host.invalid", "--host"]),
                (["--port", "0", "--host", "192.0.2.1"], ["192.0.2.1 is no address of this machine", "--host"]),
                (["--port", "0", "--hostname", "no name"], ["--hostname"]),
                (["--port", "0", "--certificate-file", empty], [empty, "--certificate-file", "is empty"]),
                (["--port", "0", "--certificate-file", road.home.path], ["--certificate-file", "is a directory"]),
                (["--port", "0", "--endorsement-roots", empty], [empty, "--endorsement-roots", "is empty"]),
                (["--port", "0", "--push-authority", road.home.path], ["--push-authority", "is a directory"]),
            ]
            for (options, words) in cases {
                let refused = try await road.run("martlet-server", ["run", "--data-directory", unmade] + options)
                #expect(refused.status > 0, "\(options)")
                for word in words { #expect(refused.text.contains(word), "\(options): \(refused.text)") }
                #expect(!FileManager.default.fileExists(atPath: unmade), "\(options)")
            }
            let backup = road.home.path + "/backup"
            let made = try await Self.operate(road, "backup", road.serverDirectory, [backup])
            #expect(made.status == 0, "\(made.text)")
            let restored = try await Self.operate(road, "restore", unmade, [backup])
            #expect(restored.status == 0, "\(restored.text)")
        }
    }

    /// Red where the database that found no room stayed, and `restore` refused the directory.
    @Test(.enabled(if: RoadDisk.canBeMounted, "no disk can be mounted here"))
    func whatAFirstStartLeftOnAFullDiskGivesWayToABackup() async throws {
        try await Road.with { road in
            let backup = road.home.path + "/backup"
            let made = try await Self.operate(road, "backup", road.serverDirectory, [backup])
            #expect(made.status == 0, "\(made.text)")
            try await road.shell("mkdir disk && mount -t tmpfs -o size=512k,mode=700 none disk")
            let directory = road.home.path + "/disk/data"
            let refused = try? await Self.operate(road, "run", directory, ["--port", "0"])
            try await road.shell("mount -o remount,size=64m disk")
            let restored = try? await Self.operate(road, "restore", directory, [backup])
            let left = try? FileManager.default.contentsOfDirectory(atPath: directory)
            try await road.shell("umount disk")
            #expect(refused?.status == 1, "\(refused?.text ?? "")")
            #expect(refused?.text.contains("is full") == true, "\(refused?.text ?? "")")
            #expect(restored?.status == 0, "\(restored?.text ?? "")")
            #expect(left?.contains("first-start") == false && left?.contains("martlet.sqlite") == true)
        }
    }

    /// Also where one host contains the other, and also of a server that was started before.
    ///
    /// Red where only the same text was noticed: the server was made, and never became ready.
    @Test func onePortForMetricsAndTheServerIsRefused() async throws {
        try await Road.with { road in
            let port = String(road.url.split(separator: ":").last ?? "")
            let unmade = road.home.path + "/unmade"
            try await road.stop(try road.server)
            for directory in [unmade, road.serverDirectory] {
                for host in ["127.0.0.1", "0.0.0.0"] {
                    let refused = try await Self.operate(
                        road, "run", directory, ["--port", port, "--metrics", "\(host):\(port)"])
                    #expect(refused.status == 1, "\(host)")
                    let words = "--metrics and --port both name port \(port) of \(host)"
                    #expect(refused.text.contains(words), "\(refused.text)")
                }
            }
            #expect(!FileManager.default.fileExists(atPath: unmade))
            try await road.startServer()
        }
    }

    /// A server that was started before says the same of its metrics.
    @Test func aLaterStartNamesThePortOfMetricsThatIsInUse() async throws {
        try await Road.with { road in
            let port = String(road.url.split(separator: ":").last ?? "")
            try await road.stop(try road.server)
            try await road.shell("cp -a server other")
            try await road.startServer()
            let other = try await Self.operate(
                road, "run", road.home.path + "/other", ["--port", "0", "--metrics", "127.0.0.1:\(port)"])
            #expect(other.status == 1 && other.text.contains("choose another one with --metrics"), "\(other.text)")
        }
    }

    /// Red where a link was "must be open to its owner alone", whatever it led to.
    @Test func aLinkedDataDirectoryIsWhatItLeadsTo() async throws {
        try await Road.with { road in
            let (link, broken) = (road.home.path + "/link", road.home.path + "/broken")
            let files = FileManager.default
            try files.createSymbolicLink(atPath: link, withDestinationPath: road.serverDirectory)
            try files.createSymbolicLink(atPath: broken, withDestinationPath: road.home.path + "/nowhere")
            let checked = try await Self.operate(road, "check", link)
            #expect(checked.text == "whole")
            for (command, options) in [("run", ["--port", "0"]), ("check", [])] {
                let refused = try await Self.operate(road, command, broken, options)
                let isSaid = refused.text.contains("is a link to what is not there")
                #expect(refused.status == 1 && isSaid, "\(refused.text)")
            }
        }
    }

    /// Red where `check` said `whole` of certificates with which no server starts.
    @Test func checkLooksAtTheServersCertificate() async throws {
        try await Road.with { road in
            try await road.stop(try road.server)
            let other = try Authority.create(commonName: "Another authority", now: Date())
            let issued = try other.issueServer(hostnames: ["localhost", "127.0.0.1"], now: Date())
            let foreign = road.serverDirectory + "/server.pem"
            try Self.write(issued.certificatePEM + "\n" + issued.keyPEM + "\n", to: foreign)
            let checked = try await Self.operate(road, "check", road.serverDirectory)
            #expect(checked.status == 1 && checked.text.contains("server.pem"), "\(checked.text)")
            #expect(checked.text.contains("was not written by this server"), "\(checked.text)")
            try FileManager.default.removeItem(atPath: foreign)

            let (certificate, key) = (road.home.path + "/own.pem", road.home.path + "/own.key")
            let second = try other.issueServer(hostnames: ["localhost", "127.0.0.1"], now: Date())
            try Self.write(issued.certificatePEM + "\n", to: certificate)
            try Self.write(second.keyPEM + "\n", to: key)
            let named = ["--certificate-file", certificate, "--key-file", key]
            let torn = try await Self.operate(road, "check", road.serverDirectory, named)
            #expect(torn.status == 1 && torn.text.contains("does not belong to the certificate"), "\(torn.text)")
            let later = try other.issueServer(
                hostnames: ["localhost", "127.0.0.1"], now: Date(timeIntervalSinceNow: 10 * 86_400))
            try Self.write(later.certificatePEM + "\n", to: certificate)
            try Self.write(later.keyPEM + "\n", to: key)
            let early = try await Self.operate(road, "check", road.serverDirectory, named)
            #expect(early.status == 1 && early.text.contains("is not valid before"), "\(early.text)")
        }
    }

    /// The certificate is the one that a start with the same settings takes, whether file or variable names it.
    ///
    /// Red where no output said which certificate was checked, and names that it lacks were passed over.
    @Test func checkNamesTheCertificateThatItLooksAt() async throws {
        try await Road.with { road in
            try await road.stop(try road.server)
            let authority = try Authority.create(commonName: "Another authority", now: Date())
            let issued = try authority.issueServer(hostnames: ["mdm.example.com"], now: Date())
            let file = road.home.path + "/own.pem"
            try Self.write(issued.certificatePEM + "\n" + issued.keyPEM + "\n", to: file)
            let settings = road.home.path + "/settings.json"
            func check(
                _ members: [String: String], variables: [String: String] = [:]
            ) async throws -> (status: Int32?, text: String) {
                try JSONEncoder().encode(members).write(to: URL(filePath: settings))
                return try await Road.answer(
                    of: "martlet-server", ["check", "--config", settings, "--data-directory", road.serverDirectory],
                    variables: variables)
            }
            let wrong = try await check(["certificateFile": file])
            #expect(wrong.status == 1 && wrong.text.contains("certificate: \(file)"), "\(wrong.text)")
            #expect(wrong.text.contains("lacks names of the server: localhost, 127.0.0.1"), "\(wrong.text)")
            let url = ["url": "https://mdm.example.com"]
            let right = try await check(url.merging(["certificateFile": file]) { $1 })
            #expect(right.status == 0 && right.text == "certificate: \(file)\nwhole", "\(right.text)")
            let byVariable = try await check(url, variables: ["MARTLET_CERTIFICATE_FILE": file])
            #expect(byVariable.status == 0 && byVariable.text.contains("certificate: \(file)"), "\(byVariable.text)")
            let ended = try authority.issueServer(
                hostnames: ["mdm.example.com"], now: Date(timeIntervalSinceNow: -100 * 86_400),
                validity: 90 * 86_400)
            try Self.write(ended.certificatePEM + "\n" + ended.keyPEM + "\n", to: file)
            let late = try await check(url, variables: ["MARTLET_CERTIFICATE_FILE": file])
            #expect(late.status == 1 && late.text.contains("\(file) has ended"), "\(late.text)")
        }
    }

    private static func operate(
        _ road: Road, _ command: String, _ directory: String, _ more: [String] = []
    ) async throws -> (status: Int32, text: String) {
        try await road.run("martlet-server", [command, "--data-directory", directory] + more)
    }

    private static func write(_ text: String, to file: String) throws {
        try Data(text.utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }
}
