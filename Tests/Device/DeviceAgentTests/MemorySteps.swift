import DeviceAgent
import Foundation
import Synchronization

/// A disk that forgets what it was not asked to confirm, and that stops at the step a test names.
final class MemorySteps: FileSteps {
    /// What a power cut leaves behind.
    enum Cut: CaseIterable {
        /// Everything reached the disk although nobody asked.
        case everythingKept
        /// Nothing reached the disk but what was confirmed.
        case unconfirmedLost
        /// New names reached the disk, the bytes of unconfirmed files only in half.
        case namesKeptBytesTorn
    }

    struct Stopped: Error {}

    private struct File {
        var bytes: Data
        var confirmed: Data?
    }

    private struct Contents {
        var files: [Int: File] = [:]
        var names: [String: Int] = [:]
        var confirmedNames: [String: Int] = [:]
        var nextFile = 0
        var steps = 0
        var syncs = 0
        var stopAt: Int?
    }

    private let contents: Mutex<Contents>

    init() { contents = Mutex(Contents()) }

    private init(_ contents: Contents) { self.contents = Mutex(contents) }

    /// All that is on the disk now, on another.
    func copy() -> MemorySteps { MemorySteps(contents.withLock { $0 }) }

    /// How many steps were taken, and how many of them had the disk confirm something.
    var stepCount: Int { contents.withLock { $0.steps } }
    var syncCount: Int { contents.withLock { $0.syncs } }

    /// Stops at the step of this number, counted from the present one.
    func stop(after steps: Int) { contents.withLock { $0.stopAt = $0.steps + steps } }

    /// The power comes back.
    func restart(after cut: Cut) {
        contents.withLock { contents in
            contents.stopAt = nil
            if cut == .unconfirmedLost { contents.names = contents.confirmedNames }
            for (number, file) in contents.files where file.confirmed != file.bytes {
                switch cut {
                case .everythingKept: break
                case .unconfirmedLost: contents.files[number]?.bytes = file.confirmed ?? Data()
                case .namesKeptBytesTorn: contents.files[number]?.bytes = file.bytes.prefix(file.bytes.count / 2)
                }
            }
            for (number, file) in contents.files { contents.files[number]?.confirmed = file.bytes }
            contents.confirmedNames = contents.names
        }
    }

    /// Changes a file behind everybody's back.
    func tamper(_ path: String, _ change: (inout Data) -> Void) {
        contents.withLock { contents in
            if let number = contents.names[path] { change(&contents.files[number, default: File(bytes: Data())].bytes) }
        }
    }

    var paths: [String] { contents.withLock { $0.names.keys.sorted() } }

    private func step<Value>(_ body: (inout Contents) throws -> Value) throws -> Value {
        try contents.withLock { contents in
            if let stopAt = contents.stopAt, contents.steps >= stopAt { throw Stopped() }
            contents.steps += 1
            return try body(&contents)
        }
    }

    func makeDirectory(_ path: String) throws {}

    func write(_ data: Data, to path: String) throws {
        try step { contents in
            contents.nextFile += 1
            contents.files[contents.nextFile] = File(bytes: data)
            contents.names[path] = contents.nextFile
        }
    }

    // A disk in memory has room for whatever is kept.
    func reserve(_ bytes: Int, at path: String) throws {}

    func overwrite(_ path: String, with data: Data) throws { try write(data, to: path) }

    func sync(_ path: String) throws {
        try step { contents in
            contents.syncs += 1
            if let number = contents.names[path] {
                let bytes = contents.files[number]?.bytes
                contents.files[number]?.confirmed = bytes
            } else {
                let isInside = { (name: String) in (name as NSString).deletingLastPathComponent == path }
                for name in contents.confirmedNames.keys where isInside(name) { contents.confirmedNames[name] = nil }
                for (name, number) in contents.names where isInside(name) { contents.confirmedNames[name] = number }
            }
        }
    }

    func rename(_ path: String, to newPath: String) throws {
        try step { contents in
            contents.names[newPath] = contents.names[path]
            contents.names[path] = nil
        }
    }

    func remove(_ path: String) throws { try step { $0.names[path] = nil } }

    func read(_ path: String, limit: Int) throws -> Data? {
        contents.withLock { contents in contents.names[path].flatMap { contents.files[$0]?.bytes } }
    }

    func list(_ path: String) throws -> [String] {
        contents.withLock { contents in
            contents.names.keys.filter { ($0 as NSString).deletingLastPathComponent == path }
                .map { ($0 as NSString).lastPathComponent }
        }
    }
}
