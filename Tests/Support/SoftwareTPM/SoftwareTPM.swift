import CTPM
package import Foundation
package import TPMKeys
import Waiting

/// A TPM of `swtpm` in a folder of its own, answering on a Unix socket; gone with the value.
package final class SoftwareTPM {
    package let folder: URL
    private var process: Process?

    package static let isThere = ["swtpm", "swtpm_setup"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
    }

    /// A new chip, with a certificate of its maker if wanted.
    package init(certified: Bool = false) throws {
        // Short: a socket's path has room for 107 bytes.
        folder = URL(filePath: "/tmp/tpm-\(UUID().uuidString.prefix(13))")
        try FileManager.default.createDirectory(at: folder.appending(path: "state"), withIntermediateDirectories: true)
        if certified { try certify() }
        try start()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The place as libtss2 names it.
    package var place: String { "swtpm:path=\(folder.path)/sock" }

    package func connect(timeout: Duration = .seconds(600)) -> TPM { TPM(place, timeout: timeout) }

    package func start() throws {
        let socket = folder.appending(path: "sock").path
        process = try run(
            "/usr/bin/swtpm", "socket", "--tpm2", "--tpmstate", "dir=\(folder.path)/state", "--server",
            "type=unixio,path=\(socket)", "--ctrl", "type=unixio,path=\(socket).ctrl", "--flags",
            "not-need-init,startup-clear")
        let deadline = ContinuousClock.now + patience
        while true {
            if Self.listens(at: socket), Self.listens(at: socket + ".ctrl") { return }
            guard ContinuousClock.now < deadline else { throw DidNotHappen(description: "swtpm does not listen") }
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    // A socket has its name a moment before it listens; to connect would keep others away.
    private static func listens(at path: String) -> Bool {
        let bytes = try? FileHandle(forReadingAtPath: "/proc/net/unix")?.readToEnd()
        let lines = String(decoding: bytes ?? Data(), as: UTF8.self).split(separator: "\n")
        return lines.contains { $0.hasSuffix(" " + path) && $0.contains(" 00010000 ") }
    }

    /// Leaves a key in the chip, which has room for three, as a process does that ends without a farewell.
    package func leaveAnObject() throws {
        // TPM2_CreatePrimary of a storage key on P-256, with the empty password.
        let command: [UInt8] = [
            0x80, 0x02, 0x00, 0x00, 0x00, 0x43, 0x00, 0x00, 0x01, 0x31, 0x40, 0x00, 0x00, 0x01, 0x00, 0x00,
            0x00, 0x09, 0x40, 0x00, 0x00, 0x09, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x1a, 0x00, 0x23, 0x00, 0x0b, 0x00, 0x03, 0x04, 0x72, 0x00, 0x00, 0x00, 0x06, 0x00,
            0x80, 0x00, 0x43, 0x00, 0x10, 0x00, 0x03, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00,
        ]
        var context: OpaquePointer?
        guard unsafe c_tcti_open(place, &context) == 0, let open = unsafe context else {
            throw CocoaError(.fileNoSuchFile)
        }
        defer { unsafe c_tcti_close(&context) }
        var answer = [UInt8](repeating: 0, count: 4_096)
        var count = answer.count
        guard unsafe c_tcti_transmit(open, command.count, command) == 0,
            unsafe c_tcti_receive(open, &count, &answer) == 0, answer[6..<10].allSatisfy({ $0 == 0 })
        else { throw CocoaError(.fileReadUnknown) }
    }

    /// Takes the power away; `swtpm` puts off gentler signals while somebody is connected.
    package func stop() {
        guard let process else { return }
        kill(process.processIdentifier, SIGKILL)
        Self.await(process)
        self.process = nil
        for name in ["sock", "sock.ctrl"] { try? FileManager.default.removeItem(at: folder.appending(path: name)) }
    }

    // `waitUntilExit` turns a run loop of the thread it is called on, which here belongs to other tests too.
    private static func await(_ process: Process) {
        for _ in 0..<24_000 where process.isRunning { Thread.sleep(forTimeInterval: 0.01) }
    }

    /// Lets the chip stand still: it takes commands and answers none.
    package func freeze() throws { if let process { try Waiting.freeze(process.processIdentifier) } }

    /// The maker's certificates in DER: the one that signed, and the root above it.
    package func maker() throws -> (issuer: Data, root: Data) {
        (try der("issuercert.pem"), try der("swtpm-localca-rootca-cert.pem"))
    }

    private func der(_ name: String) throws -> Data {
        let text = try String(contentsOf: folder.appending(path: "ca/\(name)"), encoding: .utf8)
        let body = text.split(separator: "\n").drop { !$0.hasPrefix("-----BEGIN CERT") }.dropFirst()
        return Data(base64Encoded: body.prefix { !$0.hasPrefix("-----END") }.joined()) ?? Data()
    }

    private func certify() throws {
        let path = folder.path
        try FileManager.default.createDirectory(at: folder.appending(path: "ca"), withIntermediateDirectories: true)
        let authority = """
            statedir = \(path)/ca
            signingkey = \(path)/ca/signkey.pem
            issuercert = \(path)/ca/issuercert.pem
            certserial = \(path)/ca/certserial
            """
        try write(authority, "localca.conf")
        try write("--platform-manufacturer Test\n--platform-version 1\n--platform-model Test\n", "localca.options")
        let setup = """
            create_certs_tool= /usr/bin/swtpm_localca
            create_certs_tool_config = \(path)/localca.conf
            create_certs_tool_options = \(path)/localca.options
            active_pcr_banks = sha256
            """
        try write(setup, "setup.conf")
        let made = try run(
            "/usr/bin/swtpm_setup", "--tpm2", "--tpmstate", "dir://\(path)/state", "--create-ek-cert",
            "--lock-nvram", "--overwrite", "--config", "\(path)/setup.conf")
        Self.await(made)
        guard !made.isRunning, made.terminationStatus == 0 else { throw CocoaError(.fileNoSuchFile) }
    }

    private func write(_ text: String, _ name: String) throws {
        try Data((text + "\n").utf8).write(to: folder.appending(path: name))
    }

    private func run(_ arguments: String...) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: arguments[0])
        process.arguments = Array(arguments.dropFirst())
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return process
    }
}
