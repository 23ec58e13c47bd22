import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// How an older copy of a device's directory is told from a restart (D9).
struct AtRestRecordTests {
    private let now = Date(timeIntervalSince1970: 1_000)

    private func report(_ run: String, found: Int, serving: Int, damaged: Int? = nil) -> JSONValue {
        AtRestStatus(keyHolder: .file, run: run, found: found, serving: serving, damaged: damaged).value
    }

    /// What is kept of reports that came a second after each other.
    private func record(_ reports: [JSONValue]) throws -> AtRestRecord {
        var kept: JSONValue?
        for (second, report) in reports.enumerated() {
            kept = AtRestRecord.merged(kept, with: report, now: now + TimeInterval(second - reports.count + 1))
        }
        return try #require(kept.flatMap { AtRestRecord($0) })
    }

    @Test func whatBeginsWhereItWasLastHeardOfOrLaterIsNoOlderCopy() throws {
        let known = report("a", found: 0, serving: 7)
        for found in [7, 8, 100] {
            #expect(try record([known, report("b", found: found, serving: found + 2)]).olderCopyNoticed == nil)
        }
    }

    @Test func whatBeginsBeforeItWasLastHeardOfIsAnOlderCopy() throws {
        let older = [report("a", found: 0, serving: 7), report("b", found: 6, serving: 9)]
        #expect(try record(older).olderCopyNoticed == now)
        // However many generations it has made meanwhile, and it is not forgotten afterwards.
        #expect(try record(older + [report("b", found: 6, serving: 90)]).olderCopyNoticed == now - 1)
        #expect(try record(older + [report("c", found: 9, serving: 9)]).olderCopyNoticed == now - 1)
    }

    @Test func oneRunIsHeldAgainstNothing() throws {
        #expect(try record((5..<9).map { report("a", found: 5, serving: $0) }).olderCopyNoticed == nil)
        #expect(try record([report("a", found: 3, serving: 3)]).olderCopyNoticed == nil)
    }

    /// S4-LIC-04: the device says so of itself, and it is no older copy for that.
    @Test func aDamagedGenerationIsKeptUntilItIsReplacedAndAfter() throws {
        let damaged = [
            report("a", found: 0, serving: 7), report("b", found: 6, serving: 8, damaged: 7),
            report("b", found: 6, serving: 9, damaged: 7),
        ]
        let record = try record(damaged)
        #expect(record.damageNoticed == now - 1 && record.damageReplaced == nil && record.olderCopyNoticed == nil)
        let replaced = try self.record(damaged + [report("b", found: 6, serving: 10)])
        #expect(replaced.damageNoticed == now - 2 && replaced.damageReplaced == now)
        let later = try self.record(
            damaged + [report("b", found: 6, serving: 10), report("c", found: 10, serving: 12)])
        #expect(later.damageNoticed == now - 3 && later.damageReplaced == now - 1 && later.olderCopyNoticed == nil)
        let again = try self.record(
            damaged + [report("b", found: 6, serving: 10), report("c", found: 9, serving: 11, damaged: 10)])
        #expect(again.damageNoticed == now && again.damageReplaced == nil)
        // An older copy beside it is noticed as well.
        #expect(try self.record(damaged + [report("c", found: 2, serving: 4, damaged: 3)]).olderCopyNoticed == now)
    }

    /// A device cannot say itself that it was noticed, and what cannot be read changes nothing.
    @Test func onlyTheServerNotices() throws {
        let known = report("a", found: 0, serving: 7)
        var claim = try #require(known.object)
        claim["older-copy-noticed"] = .integer(1)
        #expect(try record([.object(claim)]).olderCopyNoticed == nil)
        #expect(try record([known, .string("?"), .object([:])]) == record([known]))
        #expect(AtRestRecord.merged(nil, with: .array([]), now: now) == nil)
    }

    @Test(arguments: [(-1, 0), (2, 1)]) func numbersThatCannotBeAreRefused(found: Int, serving: Int) {
        #expect(throws: InputRefusal.self) { try AtRestStatus(report("a", found: found, serving: serving)) }
        #expect(throws: InputRefusal.self) { try AtRestStatus(report("a", found: 1, serving: 2, damaged: found)) }
    }

    @Test func theItemKeepsItsPartsTogether() throws {
        let item = try JSONValue(
            parsing: Data(#"{"dev":{"martlet":{"at-rest":{"run":"a"}}}}"#.utf8), limits: .statusReport)
        #expect(StatusMerge.items(of: item).keys.sorted() == ["dev.martlet.at-rest"])
    }
}
