import AppPackages
import Crypto
import DeviceMessages
import Foundation

/// Has the package that a manifest describes on the disk, and goes on where an earlier attempt ended.
struct PackageDownload: Sendable {
    /// Eight gibibytes over a line of a megabit take most of a day.
    private static let timeLimit = Duration.seconds(86_400)
    /// What other programs are left of the disk.
    private static let reserve: UInt64 = 64 << 20

    let directory: String
    let disk: DiskRoom
    let connection: ServerConnection
    let progress: @Sendable (_ percent: Int?) -> Void

    /// The file of a package, named by what is downloaded.
    func path(_ manifest: AppManifest) -> String {
        let name = Data(SHA256.hash(data: manifest.encoded())).hexadecimal.prefix(32)
        return directory + "/" + name + ".part"
    }

    /// Downloads, checks and returns where the package lies.
    func run(_ manifest: AppManifest) async throws -> String {
        let path = path(manifest)
        let limit = Self.limit(manifest)
        let part = try await disk.run { try PartFile(path, check: manifest.check, limit: limit) }
        if part.isWhole || part.position > 0 && part.position == manifest.size {
            try await disk.run { try part.finish() }
            return path
        }
        try checkSpace(manifest, have: part.position)
        let start = part.position
        let reply = try await connection.download(manifest.url, from: start, timeLimit: Self.timeLimit) { reply in
            switch reply.status {
            case 200:
                if start > 0 { try await disk.run { try part.restart() } }
                return true
            case 206 where reply.header("content-range")?.hasPrefix("bytes \(start)-") == true: return true
            default: return false
            }
        } onPart: { bytes in
            try await disk.run { try part.write(bytes) }
            progress(manifest.size.map { $0 == 0 ? 100 : min(100, part.position * 100 / $0) })
        }
        switch reply.status {
        case 200, 206: break
        case 416:
            // What is here is not the beginning of what is there.
            try await disk.run { try part.restart() }
            throw InstallRefusal.download("the server has no such part of the package")
        case let status: throw InstallRefusal.download("the server answered \(status)")
        }
        try await disk.run { try part.finish() }
        return path
    }

    private static func limit(_ manifest: AppManifest) -> Int {
        var limit = Int(PackageLimits.compressed)
        if let size = manifest.size { limit = min(limit, size) }
        if case .pieces(let size, let digests) = manifest.check {
            let (all, overflow) = size.multipliedReportingOverflow(by: digests.count)
            if !overflow { limit = min(limit, all) }
        }
        return limit
    }

    private func checkSpace(_ manifest: AppManifest, have: Int) throws {
        guard let size = manifest.size, let free = FreeSpace.at(directory) else { return }
        guard free >= UInt64(max(0, size - have)) + Self.reserve else {
            throw InstallRefusal.install("there is not enough space for the package")
        }
    }
}
