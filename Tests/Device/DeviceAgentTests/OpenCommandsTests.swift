import Foundation
import Testing

@testable import DeviceAgent

/// How many commands may be open at once: B5.
@Suite(.timeLimit(.minutes(10)))
struct OpenCommandsTests {
    /// One person leaves room for others, and all people together leave some for root.
    @Test func aPersonHasSixtyFourAllPeopleThreeTimesAsManyAndRootTheRest() {
        var commands = OpenCommands()
        func fill(_ user: UInt32) -> Int {
            var added = 0
            while added < 1_000, commands.hasRoom(for: user) {
                commands.add(user)
                added += 1
            }
            return added
        }
        let people: [UInt32] = [40_001, 40_002, 40_003, 40_004]
        let (peoples, roots) = (people.map { fill($0) }, fill(0))
        #expect(peoples == [64, 64, 64, 0] && roots == 64)
        // One of root's that has ended makes room for root alone, one of a person's for another person.
        commands.remove(0)
        let afterRoots = [people[3], 0].map { fill($0) }
        #expect(afterRoots == [0, 1])
        commands.remove(people[0])
        let afterPersons = [people[1], people[3]].map { fill($0) }
        #expect(afterPersons == [0, 1])
    }

    /// What one person opens beyond that is turned away; another person and root are heard.
    @Test(.enabled(if: geteuid() == 0, "only root gives users"))
    func aPersonWhoKeepsCommandsOpenKeepsNobodyElseFromIt() throws {
        let apps = try AppsWithUsers()
        defer { apps.end() }
        // How many of so many connections are answered; they stay open until the program's input ends.
        func answered(of count: Int, as user: UInt32, until input: Pipe) throws -> String {
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(filePath: "/usr/bin/setpriv")
            process.arguments = [
                "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "/usr/bin/python3", "-c",
                """
                import socket, sys
                def is_answered(connection):
                    try:
                        connection.sendall(b'{"method":"org.varlink.service.GetInfo"}\\0')
                        return len(connection.recv(1)) > 0
                    except OSError:
                        return False
                held = [socket.socket(socket.AF_UNIX) for _ in range(int(sys.argv[2]))]
                for connection in held:
                    connection.connect(sys.argv[1])
                print(sum(map(is_answered, held)), flush=True)
                sys.stdin.read()
                """, apps.controlPath, "\(count)",
            ]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            return output.fileHandleForReading.line()
        }
        let (person, other) = (Pipe(), Pipe())
        let ofPerson = try answered(of: 66, as: 1_000, until: person)
        let ofOther = try answered(of: 1, as: 1_001, until: other)
        #expect([ofPerson, ofOther] == ["64\n", "1\n"])
        let refusals = try #require(ControlCommand.refusals(controlPath: apps.controlPath))
        #expect(refusals[AppRefusal.crowded.rawValue] == 2)
        for input in [person, other] { try input.fileHandleForWriting.close() }
    }
}
