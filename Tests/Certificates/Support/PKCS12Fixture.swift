import Foundation

/// PKCS #12 files made by programs not written here.
enum PKCS12Fixture {
    /// A file of the `openssl` command.
    static func openSSL(
        _ identity: Identity, password: String, _ options: String = "", others: [Data] = []
    ) throws -> Data {
        let tool = try OpenSSLTool()
        try tool.write(identity, "id")
        try tool.write(password, "password")
        // The tool refuses an empty file where it takes an empty argument.
        let source = password.isEmpty ? "pass:" : "file:password"
        var command = "pkcs12 -export -in id.pem -inkey id.key -passout \(source) -out id.p12 \(options)"
        if !others.isEmpty {
            try tool.write(others.map(Identity.pem).joined(), "others.pem")
            command += " -certfile others.pem"
        }
        try tool.run(command)
        return try tool.read("id.p12")
    }

    static let keytool = "/usr/bin/keytool"
    static let hasJava = FileManager.default.isExecutableFile(atPath: keytool)

    /// A keystore of Java's `keytool` with a P-256 key.
    static func java(password: String) throws -> Data {
        let folder = FileManager.default.temporaryDirectory.appending(path: "keytool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "store.p12")
        let process = Process()
        process.executableURL = URL(filePath: keytool)
        process.arguments = [
            "-genkeypair", "-alias", "id", "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=From Java",
            "-storetype", "PKCS12", "-keystore", file.path, "-storepass", password, "-validity", "365",
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return try Data(contentsOf: file)
    }
}
