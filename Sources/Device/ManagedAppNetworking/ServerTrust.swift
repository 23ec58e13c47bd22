/// Which servers to believe: whose certificates' chains may end where.
///
/// Whatever is trusted, a server's certificate must also be valid now and name the host that was asked for.
public enum ServerTrust: Hashable, Sendable {
    /// The authorities that the system trusts.
    case system

    /// Only the provisioned certificates with these identifiers; the system's authorities count for nothing.
    case only([String])

    /// The provisioned certificates with these identifiers, and the authorities that the system trusts.
    case also([String])

    var identifiers: [String] {
        switch self {
        case .system: []
        case .only(let identifiers), .also(let identifiers): identifiers
        }
    }
}
