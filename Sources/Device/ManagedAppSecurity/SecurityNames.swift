// Apple's names: source that uses them on iOS uses them here.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
public import ManagedApp

/// An array, where Apple's Security framework asks for Core Foundation's: `certificates as CFArray` compiles.
public typealias CFArray = [Any]

/// A moment, where Apple's Security framework asks for Core Foundation's.
public typealias CFDate = Date

/// A value of a kind that a function's documentation names.
public typealias CFTypeRef = Any

/// No chain leads from the certificate to an anchor: the issuer of one certificate is missing.
public let errSecCreateChainFailed: OSStatus = -25318

/// The server's certificate does not list its name.
public let errSecHostNameMismatch: OSStatus = -67602

/// A certificate has a critical extension that is not checked here.
public let errSecUnknownCriticalExtensionFlag: OSStatus = -67603

/// A certificate that is no authority's has issued another one.
public let errSecNoBasicConstraintsCA: OSStatus = -67605

/// A certificate's key usage does not allow that it issues others.
public let errSecInvalidKeyUsageForPolicy: OSStatus = -67608

/// A certificate's extended key usage does not allow this use.
public let errSecInvalidExtendedKeyUsage: OSStatus = -67609

/// A signature is not that of the key over the data.
public let errSecVerifyFailed: OSStatus = -67808

/// A certificate has expired.
public let errSecCertificateExpired: OSStatus = -67818

/// A certificate is not valid yet.
public let errSecCertificateNotValidYet: OSStatus = -67819

/// The chain is not trusted, for a reason that the error's description names.
public let errSecNotTrusted: OSStatus = -67843

/// Makes an error as Apple's functions report it; it says the rule and nothing of the certificates.
func securityError(_ status: OSStatus, _ description: String) -> CFError {
    NSError(domain: "NSOSStatusErrorDomain", code: Int(status), userInfo: [NSLocalizedDescriptionKey: description])
}
