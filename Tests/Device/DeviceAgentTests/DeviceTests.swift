import DeviceAgent
import Foundation
import Testing

struct DeviceTests {
    private let facts = DeviceFacts(
        hostName: "host", systemName: "Debian", systemVersion: "12", kernelVersion: "6.1", modelName: "Model",
        model: "M1", machineUUID: "MACHINE")

    private func device(_ steps: MemorySteps, namesMachine: Bool = false) throws -> Device {
        try Device(directory: "/d", appDirectories: [], facts: facts, namesMachine: namesMachine, steps: steps)
    }

    @Test func nameIsKeptForEver() throws {
        let steps = MemorySteps()
        let first = try device(steps).known.udid
        #expect(try device(steps).known.udid == first)
        #expect(try device(MemorySteps()).known.udid != first)
        #expect(try device(MemorySteps(), namesMachine: true).known.udid == "MACHINE")
    }

    /// A clone is given a machine-id of its own: it has another name once no server may know it by the first.
    @Test func aMachineWithAnotherIdentityHasAnotherName() throws {
        let steps = MemorySteps()
        func device(_ machine: String) throws -> Device {
            var facts = facts
            facts.machineUUID = machine
            return try Device(directory: "/d", appDirectories: [], facts: facts, namesMachine: true, steps: steps)
        }
        #expect(try device("FIRST").known.udid == "FIRST")
        #expect(try device("SECOND").known.udid == "SECOND")
        var enrollment = Enrollment(
            origin: "https://h:1", codeDigest: "c", roots: [], profile: Data(), key: KeptKey(pem: "KEY"), token: Data(),
            pushMagic: "m")
        for (stage, name) in [(Enrollment.Stage.hasCertificate, "THIRD"), (.isAuthenticated, "SECOND")] {
            enrollment.stage = stage
            try device("SECOND").change { [enrollment] in $0.enrollment = enrollment }
            #expect(try device("THIRD").known.udid == name)
        }
        #expect(try device("THIRD").known.enrollment?.stage == .isAuthenticated)
    }

    @Test func changeThatChangesNothingWritesNothing() throws {
        let steps = MemorySteps()
        let device = try device(steps)
        let before = steps.stepCount
        try device.change { _ in }
        #expect(steps.stepCount == before)
        try device.change { $0.lastContact = Date(timeIntervalSince1970: 0) }
        #expect(steps.stepCount > before)
    }

    /// A command never takes effect twice: effect, UUID and result are one generation.
    @Test func commandAndItsEffectAreNeverApart() throws {
        for stop in 0..<12 {
            let steps = MemorySteps()
            let device = try device(steps)
            steps.stop(after: stop)
            _ = try? device.change { state in
                state.profiles.append(InstalledProfile(identifier: "p", content: Data()))
                state.commands.record("1", report: Data([1]))
            }
            steps.restart(after: .namesKeptBytesTorn)
            let state = try self.device(steps).known
            #expect((state.commands.answer(to: "1") != nil) == (state.profiles.count == 1))
        }
    }

    /// D14: unenrolled, nothing of the enrollment is left, and the apps stay known.
    @Test func unenrollingForgetsEverythingButNameAndProcesses() throws {
        let content = Data("secret".utf8)
        let steps = MemorySteps()
        let device = try device(steps)
        let launch = LaunchRecord(bundleIdentifier: "a", process: 1, startTime: 2, boot: "b")
        try device.change(contents: [content.digest: content]) { state in
            state.enrollment = Enrollment(
                origin: "https://h:1", codeDigest: "c", roots: [], profile: Data(), key: KeptKey(pem: "KEY"),
                token: Data(),
                pushMagic: "m")
            state.applied.apps["a"] = AppliedApp(
                composedIdentifier: "a", declarationIdentifier: "d", configuration: content.digest)
            state.launches = [launch]
        }
        try device.change(forgetting: true) { $0.unenroll() }
        var expected = AgentState(udid: device.known.udid)
        expected.launches = [launch]
        #expect(device.known == expected)
        #expect(steps.paths.count == 2, "the key and one generation")
        #expect(try self.device(steps).known == expected)
    }

    @Test func factsAreReadFromWhereLinuxKeepsThem() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "martlet-facts-\(UUID())")
        defer { try? FileManager.default.removeItem(at: root) }
        for (path, text) in [
            ("etc/os-release", "# comment\nNAME=\"Debian GNU/Linux\"\nVERSION_ID='12'\n"),
            ("etc/machine-id", "0123456789abcdef0123456789abcdef\n"), ("sys/class/dmi/id/product_serial", "S1\n"),
        ] {
            let file = root.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let facts = DeviceFacts.read(root: root.path)
        #expect(facts.systemName == "Debian GNU/Linux")
        #expect(facts.systemVersion == "12")
        #expect(facts.serialNumber == "S1")
        let name = try #require(facts.machineUUID)
        #expect(UUID(uuidString: name) != nil)
        #expect(
            !name.replacing("-", with: "").lowercased().contains("0123456789abcdef"),
            "the machine's identity is not given away")
        #expect(DeviceFacts.read(root: root.path).machineUUID == name)
    }

    @Test(arguments: ["", "00", String(repeating: "g", count: 64)]) func fingerprintIsSixtyFourDigits(_ text: String) {
        #expect(throws: EnrollmentRefusal.badFingerprint) { try ServerTrust(fingerprint: text) }
    }

    @Test func fileWithoutACertificateTrustsNobody() {
        #expect(throws: EnrollmentRefusal.noCertificate) { try ServerTrust(pem: Data("nothing".utf8)) }
    }

    @Test func aSerialNumberIsPrintableAndShort() {
        #expect(["1", "C02-AB 12", String(repeating: "A", count: 64)].allSatisfy(DeviceFacts.isSerialNumber))
        let others = ["", " A", "A ", "A\nB", "é", String(repeating: "A", count: 65)]
        #expect(!others.contains(where: DeviceFacts.isSerialNumber))
    }
}
