import Foundation

/// The file of roots that managed apps trust, named by variables of each of them.
///
/// Without roots of the administrator's own it is a link to the system's file; with some, that file and they. It always
/// changes as a whole, by one rename, so that an app that watches the directory sees the change.
package struct TrustBundle: SystemEffect {
    package typealias System = RootCertificatesSystem

    /// The variables by which programs find it: those of OpenSSL, curl, Python's requests and Node.
    package static let variables = ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"]

    /// Larger than any system's file of roots.
    private static let largest = 16 << 20

    /// Where managed apps find it.
    package let path: String
    private let directory: String
    private let isForEveryone: Bool
    private let system: String
    private let steps: any FileSteps

    /// Prepares the bundle of the agent that works in `directory`; `system` is the file of the system's roots.
    ///
    /// With `isForEveryone` apps are other users than the agent, and all may read it.
    package init(
        of directory: String, isForEveryone: Bool, system: String = "/etc/ssl/certs/ca-certificates.crt",
        steps: any FileSteps = DiskSteps()
    ) {
        self.isForEveryone = isForEveryone
        self.directory = directory + "/trust"
        path = directory + "/trust/roots.pem"
        self.system = system
        self.steps = steps
    }

    /// Prepares the bundle of a device's agent.
    init(on device: Device) {
        self.init(of: device.directory, isForEveryone: device.appUsers == .own)
    }

    package func put(_ held: [RootCertificatesSystem.Root]?) throws {
        try steps.makeDirectory(directory)
        guard unsafe chmod(directory, isForEveryone ? 0o755 : 0o700) == 0 else {
            throw FileRefusal(step: "letting apps read the roots", number: errno)
        }
        let temporary = path + ".new"
        try steps.remove(temporary)
        if let held {
            try steps.write(try content(held), to: temporary)
            guard unsafe chmod(temporary, isForEveryone ? 0o644 : 0o600) == 0 else {
                throw FileRefusal(step: "letting apps read the roots", number: errno)
            }
            try steps.sync(temporary)
        } else {
            guard unsafe symlink(system, temporary) == 0 else {
                throw FileRefusal(step: "linking to the system's roots", number: errno)
            }
        }
        try steps.rename(temporary, to: path)
        try steps.sync(directory)
    }

    package func stands(_ held: [RootCertificatesSystem.Root]?) throws -> Bool {
        guard let held else {
            return (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == system
        }
        guard let content = try? steps.read(path, limit: Self.largest) else { return false }
        return try content == self.content(held)
    }

    /// Makes the link of a new device; what is there already stays.
    package func prepare() throws {
        if (try? FileManager.default.attributesOfItem(atPath: path)) == nil { try put(nil) }
    }

    private func content(_ held: [RootCertificatesSystem.Root]) throws -> Data {
        // A machine without roots of its own is one where apps trust the administrator's alone.
        let real = URL(fileURLWithPath: system).resolvingSymlinksInPath().path
        var content = try steps.read(real, limit: Self.largest) ?? Data()
        if content.last.map({ $0 != UInt8(ascii: "\n") }) ?? false { content.append(UInt8(ascii: "\n")) }
        for root in held { content.append(Data(root.root.pem.utf8)) }
        return content
    }
}
