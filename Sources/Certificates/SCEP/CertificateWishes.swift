import SwiftASN1
import X509

/// What a requester asks to have in its certificate beside the subject; the authority decides.
package struct CertificateWishes: Sendable, Equatable {
    package var emailAddress: String?
    package var dnsName: String?
    package var uri: String?
    /// A user principal name, as Windows has them.
    package var principalName: String?
    package var signs = false
    package var encrypts = false

    private static let longest = 1_024

    /// Asks for nothing.
    package init() {}

    var extensions: Certificate.Extensions? {
        get throws {
            let names = try names
            guard !names.isEmpty || signs || encrypts else { return nil }
            return try Certificate.Extensions {
                if !names.isEmpty { SubjectAlternativeNames(names) }
                if signs || encrypts { Critical(KeyUsage(digitalSignature: signs, keyEncipherment: encrypts)) }
            }
        }
    }

    private var names: [GeneralName] {
        get throws {
            let texts = [emailAddress, dnsName, uri, principalName].compactMap { $0 }
            guard texts.allSatisfy({ (1...Self.longest).contains($0.utf8.count) }) else {
                throw CertificateRequestRefusal.subject
            }
            var names: [GeneralName] = []
            if let emailAddress { names.append(.rfc822Name(emailAddress)) }
            if let dnsName { names.append(.dnsName(dnsName)) }
            if let uri { names.append(.uniformResourceIdentifier(uri)) }
            if let principalName {
                names.append(
                    .otherName(
                        .init(typeID: .userPrincipalName, value: try ASN1Any(erasing: ASN1UTF8String(principalName)))))
            }
            return names
        }
    }
}

extension ASN1ObjectIdentifier {
    fileprivate static let userPrincipalName: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 311, 20, 2, 3]
}
