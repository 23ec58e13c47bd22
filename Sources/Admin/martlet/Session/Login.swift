import AdminMessages
import ArgumentParser
import Foundation

/// The command `martlet login`.
struct Login: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Log in to a server.",
        discussion: """
            The server must prove itself by the given authority: --ca-file names its ca.pem, --ca-fingerprint the \
            SHA-256 that the server printed at its first start. There is no way to skip this.

            The one-time password of a new server, which it prints at its first start, must be replaced at the first \
            login. If you logged in here before, you may leave out --server and its authority, after martlet logout, too.
            """)

    @Option(help: "The server's address, such as https://mdm.example.com:8443; that of the last login if left out.")
    var server: String?

    @Option(help: ArgumentHelp("The server's authority as a PEM file.", valueName: "file"))
    var caFile: String?

    @Option(help: ArgumentHelp("The SHA-256 fingerprint of the server's authority.", valueName: "hex"))
    var caFingerprint: String?

    @Option(help: "The administrator's name (admin, or that of the last login).")
    var name: String?

    @Flag(help: "Read the password from the first line of standard input.")
    var passwordStdin = false

    @Flag(help: "Read the new password from the next line, used if it must be changed.")
    var newPasswordStdin = false

    @Flag(help: "Read an API token from the first line of standard input, and use it in place of a password.")
    var tokenStdin = false

    @Flag(help: "Sign in at the organization's provider, in a browser of this machine.")
    var oidc = false

    @OptionGroup var output: Output

    func validate() throws {
        guard let server else {
            guard caFile == nil, caFingerprint == nil else {
                throw ValidationError("give the --server that --ca-file or --ca-fingerprint belongs to")
            }
            return
        }
        guard let url = URL(string: server), url.scheme == "https", url.host() != nil, ["", "/"].contains(url.path())
        else {
            throw ValidationError("--server is https:// with a name and, if need be, a port, without a path")
        }
        // The server must prove who it is.
        try OneOption.exactly(["--ca-file": caFile != nil, "--ca-fingerprint": caFingerprint != nil])
        if let caFingerprint, Authority.fingerprint(reading: caFingerprint) == nil {
            throw ValidationError("--ca-fingerprint has 64 hexadecimal digits")
        }
    }

    func run() async throws {
        try SessionFile.present.requireOwn()
        let (address, authority, name) = try await target()
        if oidc { return try await signIn(at: address, authority) }
        if tokenStdin { return try await useToken(at: address, authority) }
        let password =
            try passwordStdin
            ? PasswordPrompt.readFromInput("password") : PasswordPrompt.ask("Password of \(name)")
        try await Server.at(address, authority: authority) { server in
            var server = server
            let request = SessionRequest(name: name, password: password)
            var answer = try await Self.session(request, at: server)
            if answer.mustChangePassword {
                let new = try newPassword()
                server.token = answer.token
                try await server.put(PasswordChange(old: password, new: new), "session", "password")
                server.token = nil
                answer = try await Self.session(SessionRequest(name: name, password: new), at: server)
            }
            try SessionFile.present.save(
                SavedSession(
                    server: address, name: name, authority: authority.pem, token: answer.token,
                    expires: answer.expires))
            try output.done(["server": address, "name": name, "expires": answer.expires.shown]) {
                "Logged in to \(address) as \(Printable.line(name)) until \(answer.expires.shown)."
            }
        }
    }

    /// Signs in with a browser of this machine; its address is shown, since only the person knows which one is theirs.
    private func signIn(at address: String, _ authority: Authority) async throws {
        let grant = try await LoopbackSignIn().grant(at: address) {
            Terminal.complain("Open this address in a browser of this machine:\n  \($0)")
        }
        let (session, token) = try await Server.at(address, authority: authority) { server in
            let answer = try await server.redeem(grant)
            var server = server
            server.token = answer.token
            return (try await server.get("session") as SessionDetail, answer.token)
        }
        try save(session, token, at: address, authority)
    }

    /// A program's session: the token itself, for as long as it lives.
    private func useToken(at address: String, _ authority: Authority) async throws {
        let token = try PasswordPrompt.readFromInput("API token")
        let session: SessionDetail
        do {
            session = try await Server.at(address, authority: authority, token: token) {
                try await $0.get("session")
            }
        } catch let failure as Failure where failure.status == .notLoggedIn {
            throw Failure(
                .notLoggedIn, "the server does not know this API token",
                advice: "It ended, was revoked or is not the whole text. martlet token create makes another one.")
        }
        try save(session, token, at: address, authority)
    }

    private func save(_ session: SessionDetail, _ token: String, at address: String, _ authority: Authority) throws {
        try SessionFile.present.save(
            SavedSession(
                server: address, name: session.name, authority: authority.pem, token: token, expires: session.expires))
        try output.done(["server": address, "name": session.name, "expires": session.expires.shown]) {
            "Uses \(address) as \(Printable.line(session.name)) until \(session.expires.shown)."
        }
    }

    private static func session(_ request: SessionRequest, at server: Server) async throws -> SessionAnswer {
        do {
            return try await server.post(request, "session")
        } catch let failure as Failure where failure.status == .notLoggedIn {
            throw Failure(
                .notLoggedIn, failure.reason,
                advice: "A new server prints its one-time password when it first starts; "
                    + "on the server, martlet-server reset-admin-password makes another.")
        }
    }

    /// The server, what vouches for it, and who logs in: as given, else as last time.
    private func target() async throws -> (address: String, authority: Authority, name: String) {
        guard let server else {
            let known = try SessionFile.present.server()
            return (known.server, try Authority(pem: known.authority), name ?? known.name)
        }
        let address = server.hasSuffix("/") ? String(server.dropLast()) : server
        return (address, try await authority(of: address), name ?? "admin")
    }

    private func authority(of address: String) async throws -> Authority {
        if let caFile {
            return try Authority(pem: String(decoding: try CertificateFile.bytes(at: caFile), as: UTF8.self))
        }
        guard let url = URL(string: address), let caFingerprint,
            let fingerprint = Authority.fingerprint(reading: caFingerprint)
        else { throw Failure(.failed, "no authority was given") }
        return try await Authority.fetch(from: url, fingerprint: fingerprint)
    }

    private func newPassword() throws -> String {
        if newPasswordStdin { return try PasswordPrompt.readFromInput("new password") }
        Terminal.complain("The one-time password must be replaced now.")
        let new = try PasswordPrompt.ask("New password", option: "--new-password-stdin")
        guard try PasswordPrompt.ask("The same again") == new else {
            throw Failure(.failed, "the two passwords differ; nothing was changed")
        }
        return new
    }
}
