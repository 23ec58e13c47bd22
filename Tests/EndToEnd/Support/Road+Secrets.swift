import Foundation
import Testing

/// Secrets, as an administrator sets them and gives them away.
extension Road {
    func setPassword(_ name: String, _ value: String, userName: String? = nil) async throws {
        try await setSecret(
            name, (userName.map { ["--user-name", $0] } ?? []) + ["--password-stdin"], input: value + "\n")
    }

    func setCertificate(_ name: String, pem: String) async throws {
        let file = home.appending(path: "\(UUID().uuidString).pem")
        try Data(pem.utf8).write(to: file)
        try await setSecret(name, ["--certificate", file.path])
        try FileManager.default.removeItem(at: file)
    }

    func setIdentity(_ name: String, pkcs12 file: URL, password: String) async throws {
        try await setSecret(name, ["--pkcs12", file.path, "--password-stdin"], input: password + "\n")
    }

    /// Sets a secret by `martlet secret set`.
    func setSecret(_ name: String, _ options: [String], input: String? = nil) async throws {
        let (status, text) = try await run("martlet", ["secret", "set", name] + options, input: input)
        guard status == 0 else { throw Broken(description: "secret set \(name) exited with \(status): \(text)") }
    }

    /// Gives a secret to an app of the group; it replaces another one only on request.
    func give(_ secret: String, to app: String, as identifier: String, replace: Bool = false) async throws {
        let line = ["secret", "assign", "teachers", app, "--identifier", identifier, "--secret", secret]
        let (status, text) = try await run("martlet", line + (replace ? ["--replace"] : []))
        guard status == 0 else { throw Broken(description: "secret assign \(secret) exited with \(status): \(text)") }
    }

    /// Takes it away again.
    func withdraw(_ identifier: String, from app: String) async throws {
        try await martlet("secret", "unassign", "teachers", app, "--identifier", identifier)
    }

    /// Runs a command of the shell in this road's directory; answers what it prints.
    @discardableResult
    func shell(_ command: String) async throws -> String {
        let process = try RunningProcess(
            "sh", URL(filePath: "/bin/sh"), ["-c", "cd \"$1\" && \(command)", "sh", home.path],
            environment: Self.environment(home))
        let status = try await process.exit()
        if status == nil { process.killNow() }
        try await process.drained()
        let text = process.output.map(\.text).joined(separator: "\n")
        guard status == 0 else { throw Broken(description: "\(command): \(status ?? -1): \(text)") }
        return text
    }

    /// An identity in a PKCS #12 file that `openssl` made: a new key, certified by itself.
    func makePKCS12(
        _ name: String, password: String, key: String = "ec -pkeyopt ec_paramgen_curve:P-256", _ options: String = ""
    ) async throws -> URL {
        try Data(password.utf8).write(to: home.appending(path: "\(name).password"))
        try await shell(
            """
            openssl req -x509 -newkey \(key) -nodes -subj '/O=Example/CN=\(name)' -days 30 -keyout \(name).key \
            -out \(name).pem 2>/dev/null && openssl pkcs12 -export \(options) -in \(name).pem -inkey \(name).key \
            -passout file:\(name).password -out \(name).p12
            """)
        return home.appending(path: "\(name).p12")
    }
}
