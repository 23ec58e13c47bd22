import Foundation
import InputBounds
import TestInputs
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

    private static let variable = "MARTLET_HOSTILE_MEMORY"
    private static let isAlone = ProcessInfo.processInfo.environment[variable] != nil

    @Test(.enabled(if: isAlone, "only as the process of the other test"))
    func measuresAlone() throws {
        Self.refuse(1_000)
        let before = try Self.residentBytes()
        Self.refuse(10_000)
        let growth = Double(try Self.residentBytes()) / Double(before) - 1
        try #require(growth <= 0.1, "resident memory grew by \(growth)")
    }

    /// In a process of its own: what other tests allocate is not counted.
    ///
    /// Not as an exit test: the waiting thread of those cannot get past the children of other tests that ended unreaped.
    @Test(.enabled(if: !isAlone), .timeLimit(.minutes(10)))
    func memoryReturnsAfterTenThousandHostilePropertyLists() async throws {
        let process = Process()
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = ["--testing-library", "swift-testing", "--filter", "HostileMemoryTests"]
        process.environment = ProcessInfo.processInfo.environment.merging([Self.variable: "yes"]) { _, new in new }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        #expect(status == 0, "its process tells the growth: \(Self.variable)=yes")
    }
}
