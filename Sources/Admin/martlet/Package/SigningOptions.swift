import ArgumentParser
import CryptographicMessages
import Foundation

/// With which key and certificate a package is signed; passwords and keys are never arguments.
struct SigningOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The team's certificate as PEM, and those that vouch for it.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("The certificate's private key as PEM, without a password.", valueName: "file"))
    var key: String?

    @Option(help: ArgumentHelp("Key and certificates in one PKCS #12 file (.p12, .pfx).", valueName: "file"))
    var pkcs12: String?

    @Flag(help: "Read the password of the PKCS #12 file from the first line of standard input.")
    var passwordStdin = false

    @Option(
        name: .customLong("password-fd"),
        help: ArgumentHelp("Read the password from the first line of an open descriptor.", valueName: "number"))
    var passwordDescriptor: Int32?

    static let passwordVariable = "MARTLET_SIGNING_PASSWORD"

    func validate() throws {
        try OneOption.exactly(["--pkcs12": pkcs12 != nil, "--certificate and --key": certificate != nil || key != nil])
        guard (certificate == nil) == (key == nil) else { throw ValidationError("--certificate and --key go together") }
        guard pkcs12 != nil || (!passwordStdin && passwordDescriptor == nil) else {
            throw ValidationError("a password belongs to --pkcs12")
        }
        try OneOption.atMost(["--password-stdin": passwordStdin, "--password-fd": passwordDescriptor != nil])
        if let passwordDescriptor, passwordDescriptor < 0 { throw ValidationError("a descriptor is 0 or more") }
    }

    /// The certificates, the signer's first, and the key.
    func load() throws -> (certificates: [Data], key: SigningKey) {
        if let pkcs12 {
            let file = try CertificateFile.bytes(at: pkcs12)
            do {
                let contents = try PKCS12.open(file, password: try password())
                return (contents.certificates, contents.key)
            } catch let refusal as PKCS12Refusal {
                throw Failure(.refused, "\(refusal)", advice: "The file is \(Printable.line(pkcs12)).")
            }
        }
        guard let certificate, let key else { throw Failure(.failed, "no key was given") }
        let certificates = try CertificateFile.certificates(at: certificate)
        let text = String(decoding: try CertificateFile.bytes(at: key), as: UTF8.self)
        guard let signingKey = try? SigningKey(pem: text) else {
            throw Failure(
                .refused, "this file holds no private key that can be used",
                advice: "It is PEM of an RSA (2048 to 4096 bits), P-256 or P-384 key without a password; one with a "
                    + "password goes into a PKCS #12 file: --pkcs12.\nThe file is \(Printable.line(key)).")
        }
        return (certificates, signingKey)
    }

    private func password() throws -> String {
        if passwordStdin { return try PasswordPrompt.readFromInput("password") }
        if let passwordDescriptor { return try Self.line(from: passwordDescriptor) }
        if let password = ProcessInfo.processInfo.environment[Self.passwordVariable] { return password }
        guard isatty(STDIN_FILENO) == 1 else {
            throw Failure(
                .failed, "a password is needed and standard input is no terminal",
                advice: "Give it by --password-stdin, --password-fd or \(Self.passwordVariable).")
        }
        return try PasswordPrompt.ask("Password of the PKCS #12 file")
    }

    private static func line(from descriptor: Int32) throws -> String {
        var line: [UInt8] = []
        while line.count <= PasswordPrompt.longest {
            var byte: UInt8 = 0
            let count = unsafe read(descriptor, &byte, 1)
            guard count >= 0 else { break }
            if count == 0 || byte == 0x0A { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        throw Failure(.failed, "the descriptor holds no password", advice: "Give one line on it.")
    }
}
