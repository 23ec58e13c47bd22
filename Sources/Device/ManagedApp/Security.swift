/// A certificate, as Apple's Security framework names it.
///
/// Nothing on this device makes one yet: no certificates are provisioned.
public final class SecCertificate: Sendable {
    init() {}
}

/// A certificate with its private key, as Apple's Security framework names it.
///
/// Nothing on this device makes one yet: no identities are provisioned.
public final class SecIdentity: Sendable {
    init() {}
}
