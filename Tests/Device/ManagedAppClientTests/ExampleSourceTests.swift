import Foundation
import Testing

/// What the example apps do not have to write, and what nobody should.
@Suite(.timeLimit(.minutes(10)))
struct ExampleSourceTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardizedFileURL

    /// The apps; the license server is a server's.
    private static let apps = ["Landmarks", "Browser", "Licensing/App", "Greeter", "Workplace"]

    /// S4-SECRET-09, S4-GOAL-06: no app makes a key, asks for a certificate or knows an authority.
    ///
    /// S1-PIN-02: none looks at the network it is in.
    @Test(arguments: apps) func anAppHasNothingToDoWithKeysAndAuthorities(app: String) throws {
        let folder = Self.root.appending(path: "Examples/" + app)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            // What administrators are told is no code.
            $0.hasSuffix(".swift") && !$0.hasSuffix("Specification.swift")
        }
        #expect(!names.isEmpty)
        for name in names {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            for word in [
                "CertificateSigningRequest", "CertificateRequest", "SecKeyCreateRandomKey", "PrivateKey(", "CSR",
                "SCEP", "ACME", "PKCS", "openssl", "SSID", "import Crypto", "import X509",
            ] {
                #expect(!text.contains(word), "\(name): \(word)")
            }
        }
    }

    /// S2-CODE-04: writing a secret into user defaults is found, by whatever name it goes there.
    @Test(arguments: [
        ("UserDefaults.standard.set(password, forKey: \"password\")", true),
        ("let header = \"\\(password)\"\nlet store = UserDefaults.standard\nstore.set(\n header, forKey: \"h\")", true),
        ("UserDefaults(suiteName: \"g\")?.setValue(password, forKey: \"p\")", true),
        ("UserDefaults.standard.set(try await provider.password(withIdentifier: \"b\"), forKey: \"b\")", true),
        ("@AppStorage(\"p\") var kept = \"\"\nkept = password", true),
        ("UserDefaults.standard.set(title, forKey: \"title\") // password", false),
        ("login(with: password)", false),
    ])
    func aSecretInUserDefaultsIsFound(statement: String, isFound: Bool) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString).swift")
        try "let password = try await provider.password(withIdentifier: \"a\")\n\(statement)\n"
            .write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try await check(file.path) == (isFound ? 1 : 0))
    }

    /// S2-CODE-04: nothing of ours does so.
    @Test func noExampleWritesASecretIntoUserDefaults() async throws {
        #expect(try await check(Self.root.path + "/Examples", Self.root.path + "/Sources") == 0)
    }

    private func check(_ places: String...) async throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", Self.root.path + "/scripts/check-defaults"] + places
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        while process.isRunning { try await Task.sleep(for: .milliseconds(5)) }
        return process.terminationStatus
    }
}
