import Foundation
import Testing

@testable import DeviceAgent

/// Each app and person gets a user's number from the app's block.
struct AppUserTableTests {
    /// Blocks that nobody has, one after the other.
    private struct Blocks {
        var next: UInt32 = 0

        mutating func take(atLeast least: UInt32) -> UInt32 {
            let first = (max(next, least) + 15) / 16 * 16
            next = first + 16
            return first
        }
    }

    private struct NoBlock: Error {}

    private static func table(_ entries: [String: UInt32] = [:]) throws -> AppUserTable {
        try #require(AppUserTable(entries))
    }

    /// One range stands for an app, all its people and extensions; another team's app is another app.
    @Test func anAppsPeopleAndExtensionsShareItsBlock() throws {
        var table = try Self.table()
        var blocks = Blocks()
        let accounts = ["a+0@T", "a+1000@T", "b+0@T", "a+0+tunnel@T", "a+0@U", "a.b+0@T"]
        let numbers = try accounts.map { try table.number(of: $0) { blocks.take(atLeast: $0) } }
        #expect(numbers == [0, 1, 16, 2, 32, 48])
        #expect(table.ranges(of: "a").map(\.range) == [0...15, 32...47])
        #expect(table.ranges(of: "a").map(\.signer) == ["T", "U"])
        #expect(table.unplaced.isEmpty && table.end == 64)
    }

    /// An app with more people than a block has numbers gets a further block, and no app gets another's.
    @Test func aFullBlockIsFollowedByAnother() throws {
        var table = try Self.table()
        var blocks = Blocks()
        var given: Set<UInt32> = []
        for person in 0..<40 {
            for app in ["a", "b"] {
                let number = try table.number(of: "\(app)+\(person)@T") { blocks.take(atLeast: $0) }
                #expect(!given.contains(number))
                given.insert(number)
                #expect(table.ranges(of: app).contains { $0.range.contains(number) })
            }
        }
        #expect(table.ranges(of: "a").count == 3 && table.ranges(of: "b").count == 3)
        #expect(Set(table.ranges(of: "a").map(\.range)).isDisjoint(with: table.ranges(of: "b").map(\.range)))
    }

    /// What cannot have a block changes nothing, and an account that has a number keeps it.
    @Test func withoutABlockNothingIsGiven() throws {
        var table = try Self.table(["a+0@T": 5])
        let before = table
        #expect(throws: NoBlock.self) { try table.number(of: "b+0@T") { _ in throw NoBlock() } }
        #expect(throws: NoBlock.self) { try table.move("a+0@T") { _ in throw NoBlock() } }
        #expect(table == before)
        let kept = try table.number(of: "a+0@T") { _ in throw NoBlock() }
        #expect(kept == 5)
    }

    /// The people of an app from before blocks move into one block; until their files did, the table says so.
    @Test func accountsFromBeforeBlocksMoveIntoOne() throws {
        var table = try Self.table(["a+0@T": 0, "b+0@T": 1, "a+1000@T": 2, "c+0": 3, "c+0@T": 3, "d+0@nobody": 4])
        var blocks = Blocks(next: 5)
        #expect(table.unplaced == ["a+0@T", "a+1000@T", "b+0@T", "c+0@T"])
        for account in table.unplaced { try table.move(account) { blocks.take(atLeast: $0) } }
        #expect(table.unplaced.isEmpty)
        #expect(
            table.moves.map { "\($0.home) \($0.from) \($0.to)" } == [
                "a+0@T 0 16", "b+0@T 1 32", "a+1000@T 2 17", "c+0 3 48",
            ])
        let kept = try Self.table(table.entries)
        #expect(kept == table)
        for move in table.moves { table.finish(move) }
        #expect(table.moves.isEmpty && kept.moves.count == 4)
        let next = try table.number(of: "a+1@T") { blocks.take(atLeast: $0) }
        #expect(next == 18)
        #expect(table.entries["d+0@nobody"] == 4)
    }

    /// A first number that happens to be aligned is not a block: the numbers behind it are others'.
    @Test func anAlignedNumberFromBeforeBlocksIsNoBlock() throws {
        var table = try Self.table(["a+0@T": 16, "b+0@T": 17])
        #expect(table.unplaced == ["a+0@T", "b+0@T"])
        #expect(table.ranges(of: "a").map(\.range) == [16...16])
        var asked: UInt32?
        try table.move("a+0@T") { least in
            asked = least
            return 32
        }
        #expect(asked == 18)
        #expect(table.ranges(of: "a").map(\.range) == [32...47])
    }

    @Test func aNumberThatCannotBeOneIsRefused() {
        #expect(AppUserTable(["a+0@T": AppNumbers.most]) == nil)
        #expect(AppUserTable(["a@T": UInt32.max]) == nil)
    }
}
