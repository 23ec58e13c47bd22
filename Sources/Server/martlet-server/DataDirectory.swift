import CertificateAuthority
import Foundation

/// Everything the server keeps: the database, the authorities with their keys, the TLS certificate with its key.
///
/// Only its owner may enter it; the authorities' certificates inside are what others are given.
struct DataDirectory: Sendable {
    let url: URL

    /// Opens the directory, making it if it is missing; one that others may enter is refused.
    init(path: String) throws {
        url = URL(filePath: path, directoryHint: .isDirectory).absoluteURL
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        } catch {
            throw Refusal(rule: "the data directory \(url.path) cannot be created")
        }
        // Private from the first moment: a start that is cut off must not leave one that the next start refuses.
        guard unsafe mkdir(url.path, 0o700) == 0 || errno == EEXIST else {
            throw Refusal(rule: "the data directory \(url.path) cannot be created: \(DigestedFile.reason(errno))")
        }
        try requireOwn()
    }

    /// Opens the directory of a server that was started before: who only looks at it makes none.
    ///
    /// Refuses a directory into which a backup was restored only in part.
    init(existing path: String) throws {
        url = URL(filePath: path, directoryHint: .isDirectory).absoluteURL
        let files = FileManager.default
        // A link to what is not there is no directory either, but it is the link that is to be mended.
        let isLink = (try? files.destinationOfSymbolicLink(atPath: url.path)) != nil
        guard isLink || files.fileExists(atPath: url.path) else {
            throw Refusal(rule: "there is no data directory \(url.path): --data-directory names another one")
        }
        try requireOwn()
        try requireWhole()
    }

    /// Refuses a directory that others may enter, or that is another user's.
    private func requireOwn() throws {
        // A link counts as what it leads to: systemd makes one for DynamicUser=.
        let place = url.resolvingSymlinksInPath().path
        var isDirectory = ObjCBool(false)
        guard unsafe FileManager.default.fileExists(atPath: place, isDirectory: &isDirectory) else {
            throw Refusal(rule: "the data directory \(url.path) is a link to what is not there: \(place)")
        }
        guard isDirectory.boolValue else { throw Refusal(rule: "the data directory \(url.path) is no directory") }
        let attributes = try? FileManager.default.attributesOfItem(atPath: place)
        guard let mode = attributes?[.posixPermissions] as? Int, mode & 0o077 == 0 else {
            throw Refusal(rule: "the data directory \(place) must be open to its owner alone (chmod 700)")
        }
        // Files that root left in it would keep the server out at its next start.
        guard let owner = attributes?[.ownerAccountID] as? NSNumber, owner.uint32Value == geteuid() else {
            throw Refusal(
                rule: "the data directory \(place) belongs to another user: run this as that user (runuser -u …)")
        }
    }

    /// The files of both authorities; each pair is a certificate and its key.
    static let authorityFiles = [Purpose.devices, .identities].flatMap { ["\($0.rawValue).pem", "\($0.rawValue).key"] }

    /// Where what is put back from a backup lies until all of it is there.
    var restoring: URL { url.appending(path: "restoring", directoryHint: .isDirectory) }

    /// Refuses a directory into which a backup was put back only in part.
    func requireWhole() throws {
        guard !FileManager.default.fileExists(atPath: restoring.path) else {
            throw Refusal(
                rule: "a backup was put back only in part: run martlet-server restore again, into this directory")
        }
    }

    var databasePath: String { url.appending(path: "martlet.sqlite").path }

    /// The certificate of the authority by which the server proves itself.
    var authorityPath: String { url.appending(path: "\(Purpose.devices.rawValue).pem").path }

    /// Where the packages of apps lie.
    var packagesPath: String { url.appending(path: "packages").path }

    /// What an authority is for: each has a key of its own, so that what one vouches for is nothing to the other.
    enum Purpose: String {
        /// Devices, the server itself, and the keys of devices' chips.
        case devices = "ca"
        /// The identities of apps.
        case identities = "identities"

        fileprivate var noun: String { self == .devices ? "device authority" : "identity authority" }
    }

    /// The authority that was stored, or a new one if there is none.
    func authority(for purpose: Purpose, organization: String, now: Date) throws -> Authority {
        if let stored = try storedAuthority(for: purpose) { return stored }
        // The key is written first: if it is there alone, a start was cut off between the two, or the certificate was
        // lost. Either way the key is kept, as certificates may have been issued with it.
        let key = try read(url.appending(path: "\(purpose.rawValue).key"))
        return try create(purpose, key ?? Authority.newKey(), organization, now: now)
    }

    /// The authority that was stored, if both its files are there; a certificate without its key is refused.
    func storedAuthority(for purpose: Purpose) throws -> Authority? {
        let name = purpose.rawValue
        guard let certificatePEM = try read(url.appending(path: "\(name).pem")) else { return nil }
        guard let keyPEM = try read(url.appending(path: "\(name).key")) else {
            throw Refusal(
                rule: "\(name).key is missing in the data directory while \(name).pem is there; restore both")
        }
        do {
            return try Authority(certificatePEM: certificatePEM, keyPEM: keyPEM)
        } catch {
            throw Refusal(rule: "\(name).pem and \(name).key in the data directory do not make an authority")
        }
    }

    private func create(
        _ purpose: Purpose, _ keyPEM: String, _ organization: String, now: Date
    ) throws -> Authority {
        let authority: Authority
        do {
            authority = try Authority.create(
                commonName: "\(organization.prefix(40)) \(purpose.noun)", keyPEM: keyPEM, now: now)
        } catch UnusableAuthority.key {
            throw Refusal(rule: "\(purpose.rawValue).key in the data directory is not the key of an authority")
        }
        try write(authority.keyPEM, to: url.appending(path: "\(purpose.rawValue).key"))
        try write(authority.certificatePEM, to: url.appending(path: "\(purpose.rawValue).pem"))
        return authority
    }

    /// What a file holds, or nothing if there is none; one that cannot be read must not be taken for missing.
    func read(_ file: URL) throws -> String? {
        do {
            return try String(contentsOf: file, encoding: .utf8)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch {
            throw Refusal(rule: "\(file.lastPathComponent) in the data directory cannot be read")
        }
    }

    /// Why nothing can be written here, by the error code of the system.
    func unwritten(_ code: Int32) -> Refusal {
        Refusal(rule: "the data directory \(url.path) cannot be written to: \(DigestedFile.reason(code))")
    }

    /// Written beside, synced and renamed, readable by the owner alone from its first byte.
    func write(_ text: String, to file: URL) throws {
        // A name that nobody gives to a file: `master.key.new` may be a key that an operator has made ready.
        let draft = file.deletingLastPathComponent().appending(path: ".\(file.lastPathComponent).draft").path
        do throws(SystemFault) {
            let output = try OutputDescriptor(opening: draft, O_TRUNC)
            try output.write(Data(text.utf8))
            try output.synchronize()
            try output.close()
            guard unsafe rename(draft, file.path) == 0 else { throw SystemFault(code: errno) }
        } catch {
            // What is left of it would be no part of anything.
            _ = unsafe unlink(draft)
            throw unwritten(error.code)
        }
        // The new name is on the disk before anything that depends on it is.
        let directory = unsafe open(file.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw unwritten(errno) }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw unwritten(errno) }
    }
}

/// Why the server does not start.
struct Refusal: Error, CustomStringConvertible {
    let rule: String

    var description: String { rule }
}
