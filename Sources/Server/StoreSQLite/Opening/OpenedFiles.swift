import Glibc

/// The files that a store has open: later their paths may lead to other files, or to none.
///
/// SQLite does not notice it: it writes on to files that no later start finds.
struct OpenedFiles: Sendable {
    /// What a file is on its disk, whatever path leads to it.
    private struct Identity: Equatable {
        let device: dev_t
        let number: ino_t
    }

    private enum Look {
        case file(Identity)
        case nothing
        /// The system does not say, for example because the directory may not be entered.
        case unknown
    }

    private struct File {
        let path: String
        let identity: Identity
    }

    private let files: [File]

    /// Notes a database's file and those of its log; all of them are there once the database is open.
    init(of database: String) {
        files = ["", "-wal", "-shm"].compactMap { suffix in
            guard case .file(let identity) = Self.look(at: database + suffix) else { return nil }
            return File(path: database + suffix, identity: identity)
        }
    }

    /// The path of the first file that was moved, replaced or removed; nothing while each is where it was opened.
    var firstMoved: String? {
        files.first { file in
            switch Self.look(at: file.path) {
            case .file(let identity): identity != file.identity
            case .nothing: true
            case .unknown: false
            }
        }?.path
    }

    private static func look(at path: String) -> Look {
        var status = stat()
        guard unsafe stat(path, &status) != 0 else {
            return .file(Identity(device: status.st_dev, number: status.st_ino))
        }
        return [ENOENT, ENOTDIR].contains(errno) ? .nothing : .unknown
    }
}
