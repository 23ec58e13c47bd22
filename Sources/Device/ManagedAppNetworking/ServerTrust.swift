public import ManagedApp

/// Which servers to believe: whose certificates' chains may end where.
///
/// Whatever is trusted, a server's certificate must also be valid now and name the host that was asked for.
public enum ServerTrust: Hashable, Sendable {
    /// The authorities that the system trusts.
    case system

    /// Only the provisioned certificates with these identifiers, and `certificates`, which the app has from elsewhere,
    /// for example out of its configuration; the system's authorities count for nothing.
    case only([String] = [], certificates: [SecCertificate] = [])

    /// The same certificates, and the authorities that the system trusts.
    case also([String] = [], certificates: [SecCertificate] = [])

    var identifiers: [String] {
        switch self {
        case .system: []
        case .only(let identifiers, _), .also(let identifiers, _): identifiers
        }
    }

    var certificates: [SecCertificate] {
        switch self {
        case .system: []
        case .only(_, let certificates), .also(_, let certificates): certificates
        }
    }
}
