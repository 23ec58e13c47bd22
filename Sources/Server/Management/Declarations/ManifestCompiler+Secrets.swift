import Crypto
import DeviceMessages
import Foundation
import InputBounds

extension ManifestCompiler {
    /// The secrets of an app or of one of its extensions, as its configuration lists them.
    func secrets(of entry: AssignmentSnapshot.Entry, extension name: String?) -> [String: JSONValue] {
        var lists: [String: JSONValue] = [:]
        for (kind, key) in Self.lists {
            let items = entry.secrets.filter { $0.place.extension == name && $0.place.kind == kind }
            guard !items.isEmpty else { continue }
            lists[key] = .array(
                items.map { reference in
                    .object([
                        "Identifier": .string(reference.place.identifier),
                        "AssetReference": .string(Self.identifier(of: reference.place, app: entry.app)),
                    ])
                })
        }
        return lists
    }

    /// Where a device gets a secret.
    ///
    /// Digest and size would let a reader of a declaration guess a password, so only certificates have them (D5). A
    /// value that is filled into its document is not in the declaration, so the token includes it. The token includes
    /// the assignment that gives a device an identity, too: identities of an earlier one are revoked.
    func credential(
        _ reference: AssignmentSnapshot.SecretReference, of app: App, _ filled: FilledEntry
    ) -> Draft? {
        guard let version = reference.version else { return nil }
        var place: [String: JSONValue] = [
            "DataURL": .string("\(baseURL)/mdm/credentials/\(reference.secret)/\(version)"),
            "ContentType": .string(reference.kind.mediaType),
        ]
        if let size = reference.size { place["Size"] = .integer(Int64(size)) }
        if let sha256 = reference.sha256 { place["Hash-SHA-256"] = .string(sha256) }
        var values = filled.used[reference.place] ?? [:]
        if reference.kind.isIssued { values["issue"] = "\(reference.order).\(filled.losses[reference.place] ?? 0)" }
        return draft(
            .asset, reference.kind.assetType, Self.identifier(of: reference.place, app: app),
            ["Reference": .object(place), "Authentication": .object(["Type": .string("MDM")])], values: values)
    }

    private static let lists: [(AppSecretKind, String)] = [
        (.password, "Passwords"), (.identity, "Identities"), (.certificate, "Certificates"),
    ]

    /// Follows from the place alone, so that another secret or version there changes only a token.
    private static func identifier(of place: AssignmentSnapshot.SecretReference.Place, app: App) -> String {
        var hash = SHA256()
        update(&hash, with: [Data(app.bundleIdentifier.utf8), place.text])
        return "martlet.secret." + Hexadecimal.text(hash.finalize()).prefix(48)
    }
}

extension Secret.Kind {
    /// The type of the declaration that tells a device of it.
    var assetType: String {
        switch self {
        case .password: "com.apple.asset.credential.userpassword"
        case .certificate: "com.apple.asset.credential.certificate"
        case .pkcs12: "com.apple.asset.credential.identity"
        case .scep: "com.apple.asset.credential.scep"
        case .acme: "com.apple.asset.credential.acme"
        }
    }

    /// Whether a device asks an authority for it, again for each new asset.
    var isIssued: Bool { self == .scep || self == .acme }

    /// The media type of what a device downloads.
    var mediaType: String { self == .certificate ? "application/pkcs1" : "application/json" }
}
