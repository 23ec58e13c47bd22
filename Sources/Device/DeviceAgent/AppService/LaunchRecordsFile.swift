import Foundation

/// Launch records in a file of their own, replaced in one step.
package struct LaunchRecordsFile: LaunchRecords {
    // Far above any number of apps a device runs; a larger file is not ours.
    private static let longest = 1_048_576

    private let path: String

    /// Keeps records at `path`; its directory has to exist.
    package init(path: String) {
        self.path = path
    }

    package func load() -> [LaunchRecord] {
        guard let handle = FileHandle(forReadingAtPath: path) else { return [] }
        defer { try? handle.close() }
        guard let data = try? handle.read(upToCount: Self.longest + 1), data.count <= Self.longest else { return [] }
        return (try? JSONDecoder().decode([LaunchRecord].self, from: data)) ?? []
    }

    package func save(_ records: [LaunchRecord]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let data = try encoder.encode(records)
        let temporary = path + ".new"
        let file = try LinuxFailure.check(
            Self.result(unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)),
            "create launch records")
        do {
            defer { close(file) }
            try FileHandle(fileDescriptor: file, closeOnDealloc: false).write(contentsOf: data)
            try LinuxFailure.check(Self.result(fsync(file)), "sync launch records")
        }
        try LinuxFailure.check(Self.result(unsafe rename(temporary, path)), "replace launch records")
        let parent = (path as NSString).deletingLastPathComponent
        let directory = try LinuxFailure.check(
            Self.result(unsafe open(parent.isEmpty ? "." : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
            "open launch records")
        defer { close(directory) }
        try LinuxFailure.check(Self.result(fsync(directory)), "sync launch records")
    }

    private static func result(_ value: Int32) -> Int32 {
        value < 0 ? -errno : value
    }
}
