import Foundation
import InputBounds
import Testing

struct HostileMemoryTests {
    private static let hostile: [Data] = {
        var random = SplitMix64(seed: 3)
        let garbage = Data((0..<4096).map { _ in UInt8.random(in: 0...255, using: &random) })
        return [
            Attacks.nestedXML(1_000, dictionaries: true), Attacks.unclosedXML(2_000), Attacks.entityBomb,
            Attacks.externalEntity, Attacks.sharedReferences, Attacks.nestedBinary(200), Attacks.selfReference,
            Attacks.longCycle, garbage, Data("bplist00".utf8) + garbage,
            Attacks.xml("<dict>" + String(repeating: "<key>a</key><string>x</string>", count: 50) + "</dict>"),
            Attacks.xml(
                "<array>" + String(repeating: "<string>some text of some length</string>", count: 50)
                    + "<integer/></array>"),
        ]
    }()

    private static func residentBytes() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .ascii).split(separator: " ")
        return try #require(Int(fields[1])) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    private static func refuse(_ count: Int) {
        for index in 0..<count {
            let input = hostile[index % hostile.count]
            #expect(throws: InputRefusal.self) { try PropertyListValue(parsing: input, limits: .message) }
            _ = try? PropertyListScan.check(input, limits: .message)
        }
    }

    /// In a process of its own: what other tests allocate is not counted.
    @Test func memoryReturnsAfterTenThousandHostilePropertyLists() async {
        await #expect(processExitsWith: .success) {
            Self.refuse(1_000)
            let before = try Self.residentBytes()
            Self.refuse(10_000)
            let growth = Double(try Self.residentBytes()) / Double(before) - 1
            try #require(growth <= 0.1, "resident memory grew by \(growth)")
        }
    }
}
