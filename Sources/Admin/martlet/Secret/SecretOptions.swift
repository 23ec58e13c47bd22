package import AdminMessages
package import ArgumentParser
import Foundation

/// What a secret is made of, as options: values themselves come from files and standard input alone.
package struct SecretOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The user name beside a password.", valueName: "name"))
    package var userName: String?

    @Flag(help: "Read the password, or the one that opens the PKCS #12 file, from the first line of standard input.")
    package var passwordStdin = false

    @Option(help: ArgumentHelp("A certificate without its key, as PEM or DER.", valueName: "file"))
    package var certificate: String?

    @Option(help: ArgumentHelp("An identity made elsewhere: a PKCS #12 file (.p12, .pfx).", valueName: "file"))
    package var pkcs12: String?

    @Flag(help: "An identity whose key each device makes, with a certificate by SCEP.")
    package var scep = false

    @Flag(help: "An identity whose key each device makes, with a certificate by ACME.")
    package var acme = false

    @OptionGroup(title: "Identities by SCEP and ACME")
    package var identity: IdentityOptions

    package init() {}

    package func validate() throws {
        try OneOption.atMost([
            "--certificate": certificate != nil, "--pkcs12": pkcs12 != nil, "--scep": scep, "--acme": acme,
        ])
        let isPassword = certificate == nil && pkcs12 == nil && !scep && !acme
        guard isPassword || userName == nil else { throw ValidationError("--user-name belongs to a password") }
        guard isPassword || pkcs12 != nil || !passwordStdin else {
            throw ValidationError("--password-stdin belongs to a password or to --pkcs12")
        }
        try identity.validate(scep: scep, acme: acme)
    }

    /// The secret as it will be sent.
    ///
    /// Reads files and standard input; asks at the terminal for a password that neither holds.
    package func request(named name: String) throws -> SecretRequest {
        if let certificate {
            return .certificate(CertificateSecret(file: try SecretInput.certificate(at: certificate)))
        }
        if let pkcs12 {
            let file = try SecretInput.file(at: pkcs12)
            return .pkcs12(PKCS12Secret(file: file, password: try password("Password of the PKCS #12 file")))
        }
        if scep { return .scep(try identity.scepSecret()) }
        if acme { return .acme(try identity.acmeSecret()) }
        return .password(
            PasswordSecret(userName: userName, password: try password("The password \(Printable.line(name))")))
    }

    private func password(_ question: String) throws -> String {
        guard !passwordStdin else { return try PasswordPrompt.readFromInput("password", longest: SecretSize.password) }
        return try PasswordPrompt.ask(question)
    }
}
