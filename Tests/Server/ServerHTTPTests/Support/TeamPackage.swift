import AppPackages
import CryptographicMessages
import Foundation
import SwiftASN1
import TestInputs
import X509

/// A developer's team, and packages that it signs.
struct TeamPackage: Sendable {
    static let notAfter = Date(timeIntervalSince1970: 4_000_000_000)

    let certificateDER: Data
    private let key: SigningKey

    init(team: String = "TEAM123456") throws {
        key = try SigningKey.generate(.p256)
        let subject = try DistinguishedName {
            CommonName("Team")
            OrganizationalUnitName(team)
        }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: key.certificateKey.publicKey,
            notValidBefore: Date(timeIntervalSince1970: 1_000_000_000),
            notValidAfter: Self.notAfter, issuer: subject, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions([
                try .init(KeyUsage(digitalSignature: true), critical: true),
                try .init(try ExtendedKeyUsage([.codeSigning]), critical: false),
            ]), issuerPrivateKey: key.certificateKey)
        var serializer = DER.Serializer()
        try certificate.serialize(into: &serializer)
        certificateDER = Data(serializer.serializedBytes)
    }

    /// A signed package whose size is about `bytes`, because these cannot be made smaller.
    func package(
        of app: String = "org.swift.landmarks", version: String = "1", minimumOS: String? = nil, bytes: Int = 100,
        specification: String? = nil
    ) throws -> Data {
        let folder = FileManager.default.temporaryDirectory.appending(path: "package-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let tree = folder.appending(path: "App.app")
        try FileManager.default.createDirectory(at: tree, withIntermediateDirectories: true)
        let minimum = minimumOS.map { "<key>MinimumOSVersion</key><string>\($0)</string>" } ?? ""
        let information = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>\(app)</string>
            <key>CFBundleExecutable</key><string>App</string>
            <key>CFBundleVersion</key><string>\(version)</string>\(minimum)</dict></plist>
            """
        try Data(information.utf8).write(to: tree.appending(path: "Info.plist"))
        let program = tree.appending(path: "App")
        try Data("#!/bin/sh\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        var generator = SplitMix64(seed: 7)
        var noise = Data(capacity: bytes)
        while noise.count < bytes {
            let number = generator.next()
            noise.append(contentsOf: stride(from: 0, to: 64, by: 8).map { UInt8(truncatingIfNeeded: number >> $0) })
        }
        try noise.write(to: tree.appending(path: "noise"))
        let published = specification.map { _ in folder.appending(path: "specification.json") }
        if let published, let specification { try Data(specification.utf8).write(to: published) }
        let unsigned = folder.appending(path: "unsigned").path
        let signed = folder.appending(path: "signed").path
        let file = try OutputFile(path: unsigned)
        _ = try PackageBuilder.build(try SourceTree(directory: tree.path, specification: published?.path), to: file) {
            _ in
        }
        try file.commit()
        let output = try OutputFile(path: signed)
        _ = try PackageBuilder.sign(
            packageAt: unsigned, certificates: [certificateDER], key: key, now: Date(), replacing: false, to: output
        ) { _ in }
        try output.commit()
        return try Data(contentsOf: URL(filePath: signed))
    }
}
