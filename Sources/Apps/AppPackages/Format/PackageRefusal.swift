/// Why a package is refused, or not made.
///
/// The rule is the whole text that may reach logs; the file that broke it is kept apart, for those whose file it is.
package struct PackageRefusal: Error, Hashable, Sendable {
    package let rule: Rule
    /// The path inside the package, or the file on disk, where there is one to name.
    package let file: String?
    /// The system's error, where one is known.
    package let systemError: Int32?

    package init(_ rule: Rule, file: String? = nil, systemError: Int32? = nil) {
        self.rule = rule
        self.file = file
        self.systemError = systemError
    }

    /// The rule that was broken.
    package enum Rule: String, Hashable, Sendable, CaseIterable {
        // The container
        case notAPackage, compression, truncated, trailingBytes, otherThanListed, tooLarge
        // The list
        case list, listOrder, tooManyFiles, fileTooLarge, totalTooLarge, path, pathReserved, pathTaken, digest
        // What describes the app
        case informationMissing, information, bundleIdentifier, version, executable, minimumVersion, appExtension
        case desktopEntry, entitlements, entitlementOfOthers, specification
        // The signature
        case unsigned, signature, signatureAlgorithm, certificateUnreadable, certificateTeam, certificatePurpose
        case certificateNotYetValid, certificateExpired, untrusted, otherTeam, alreadySigned, keyOfOther
        // Directories and files
        case unreadable, unwritable, link, special, privileged, changed, exists, space
    }
}

extension PackageRefusal: CustomStringConvertible {
    package var description: String { rule.description }
}

extension PackageRefusal.Rule: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAPackage: "this is not an app package"
        case .compression: "the package's compression is damaged, or asks for more memory than allowed"
        case .truncated: "the package ends too early"
        case .trailingBytes: "the package holds more than its list says"
        case .otherThanListed: "a file's place, name, size or mode in the package is not the listed one"
        case .tooLarge: "a part of the package exceeds its limit"
        case .list: "the package's list is not in its one allowed form"
        case .listOrder: "the package's list is not in order, or names a file twice"
        case .tooManyFiles: "a package has at most \(PackageLimits.files) files"
        case .fileTooLarge: "a file of a package has at most \(PackageLimits.file >> 30) GiB"
        case .totalTooLarge: "the files of a package have at most \(PackageLimits.total >> 30) GiB together"
        case .path:
            "a path is relative, without “.”, “..”, empty parts, backslashes and control characters, at most "
                + "\(PackageLimits.path) bytes long and \(PackageLimits.depth) deep"
        case .pathReserved: "names that begin with “\(PackagePath.reserved)” belong to the package itself"
        case .pathTaken: "two paths are the same but for case or Unicode form, or a file is another one's directory"
        case .digest: "a file is not the one whose digest was listed"
        case .informationMissing: "a package needs an Info.plist at its top"
        case .information: "Info.plist is not a property list of the expected form and size"
        case .bundleIdentifier:
            "a bundle identifier is two or more parts of letters, digits and hyphens, joined by dots, of at most 155 "
                + "characters"
        case .version:
            "CFBundleVersion is there and, like CFBundleShortVersionString, 1 to 64 letters, digits and any of . + - _ ~"
        case .executable: "CFBundleExecutable names an executable file at the package's top"
        case .minimumVersion: "a minimum version is one to four numbers, joined by dots"
        case .appExtension:
            "an extension has an identifier that begins with the app's and a dot, a kind, and an executable file of the "
                + "package; each identifier stands there once"
        case .desktopEntry: "MartletDesktopEntry names a file of the package that ends in .desktop"
        case .entitlements: "entitlements are a property list with a dictionary, of at most 64 KiB"
        case .entitlementOfOthers:
            "keychain access groups begin with the signing team's identifier and a dot, and an application identifier is the "
                + "team's, a dot and the bundle's"
        case .specification: "a specification has at most 1 MiB"
        case .unsigned: "the package is not signed"
        case .signature: "the signature is not one over this package's list"
        case .signatureAlgorithm: "the signature uses an algorithm or a key that is never accepted"
        case .certificateUnreadable: "a certificate cannot be read, or its form is not allowed"
        case .certificateTeam:
            "the signer's certificate does not name its team: one organizational unit of ten capital letters and digits"
        case .certificatePurpose: "the signer's certificate is not for digital signatures of code"
        case .certificateNotYetValid: "a certificate of the signer is not valid yet"
        case .certificateExpired: "a certificate of the signer has expired"
        case .untrusted: "the signer's certificate is not one that is trusted here, nor issued by one"
        case .otherTeam: "the authority that vouches for the signer is that of another team"
        case .alreadySigned: "the package is signed already"
        case .keyOfOther: "the private key is not that of the certificate"
        case .unreadable: "a file or directory cannot be read"
        case .unwritable: "a file or directory cannot be written"
        case .link: "a package holds no symbolic links"
        case .special: "a package holds files and directories only"
        case .privileged: "a package holds no files with setuid, setgid or sticky bits"
        case .changed: "a file changed while it was packed"
        case .exists: "what is to be made is there already"
        case .space: "there is not enough space for the unpacked package"
        }
    }
}
