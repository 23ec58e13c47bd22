import Management
import Testing

/// C8: what a start does with what lies in its data directory.
///
/// Red where every file that was missing was made: authorities beside a database in use, a database beside authorities.
struct DirectoryStartTests {
    private static let files = ["ca.pem", "ca.key", "identities.pem", "identities.key"]

    private static func facts(
        _ database: DirectoryFacts.Database, _ present: [String], isBegun: Bool
    ) -> DirectoryFacts {
        DirectoryFacts(
            database: database, present: present, missing: files.filter { !present.contains($0) }, isBegun: isBegun)
    }

    @Test(arguments: DirectoryFacts.Database.allCases, [false, true])
    func everyCombinationIsDecided(_ database: DirectoryFacts.Database, _ isBegun: Bool) {
        for bits in 0..<16 {
            let present = Self.files.enumerated().filter { bits & (1 << $0.offset) != 0 }.map(\.element)
            let facts = Self.facts(database, present, isBegun: isBegun)
            let expected: DirectoryStart =
                switch (database, isBegun) {
                case (.inUse, _): present.count == 4 ? .serving : .refused(.authorities(facts.missing))
                case (_, true): .making
                case (.missing, false): present.isEmpty ? .making : .refused(.database(beside: present))
                case (.unused, false): present.isEmpty ? .making : .refused(.contents(beside: present))
                }
            #expect(DirectoryStart.decide(facts) == expected, "\(facts)")
        }
    }

    /// A first start may be cut off after each of its steps; the next one goes on.
    @Test func aFirstStartThatIsCutOffGoesOn() {
        #expect(DirectoryStart.decide(Self.facts(.missing, [], isBegun: false)) == .making)
        #expect(DirectoryStart.decide(Self.facts(.unused, [], isBegun: false)) == .making)
        // Keys are written before certificates.
        let order = ["ca.key", "ca.pem", "identities.key", "identities.pem"]
        for count in 0...4 {
            let present = Array(order.prefix(count))
            #expect(DirectoryStart.decide(Self.facts(.unused, present, isBegun: true)) == .making, "\(present)")
        }
        for isBegun in [true, false] {
            #expect(DirectoryStart.decide(Self.facts(.inUse, Self.files, isBegun: isBegun)) == .serving)
        }
    }

    @Test func aRefusalNamesTheFilesAndTheWayOn() {
        let refusals: [(LostFiles, [String])] = [
            (.authorities(["ca.pem"]), ["ca.pem is missing", "from a backup", "enrolls anew"]),
            (.authorities(["ca.pem", "ca.key"]), ["ca.pem and ca.key are missing", "from a backup"]),
            (.database(beside: ["ca.pem"]), ["there is no database", "ca.pem is there", "martlet-server restore"]),
            (.contents(beside: ["ca.pem", "ca.key"]), ["is empty", "ca.pem and ca.key are", "martlet.sqlite-wal"]),
        ]
        for (refusal, parts) in refusals {
            for part in parts { #expect("\(refusal)".contains(part), "\(refusal)") }
        }
    }
}
