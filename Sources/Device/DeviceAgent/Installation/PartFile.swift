import Crypto
package import DeviceMessages
package import Foundation
import Synchronization

/// A download on the disk, and how much of it is known to be good.
///
/// What is found of an earlier attempt is gone on with as far as the manifest's digests speak for it.
package final class PartFile: Sendable {
    private struct State: Sendable {
        var position = 0
        var piece = SHA256()
        var whole = SHA256()
    }

    private let descriptor: Int32
    private let check: AppManifest.Check
    private let limit: Int
    private let state = Mutex(State())

    /// Opens the file, or makes it; afterwards `position` says from where on something is missing.
    package init(_ path: String, check: AppManifest.Check, limit: Int) throws {
        self.check = check
        self.limit = limit
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw InstallRefusal.install("a file cannot be made for the download") }
        if case .none = check {
            try restart()
        } else {
            try takeBack()
        }
    }

    deinit { close(descriptor) }

    package var position: Int { state.withLock { $0.position } }

    /// Whether everything that the manifest vouches for is here.
    package var isWhole: Bool {
        guard case .pieces(let size, let digests) = check else { return false }
        return (position + size - 1) / size == digests.count
    }

    /// Appends what came; a piece that is not the one the manifest names is refused, and not kept.
    package func write(_ bytes: Data) throws {
        try state.withLock { state in
            guard state.position + bytes.count <= limit else {
                throw InstallRefusal.download("the package is larger than its manifest says, or than allowed")
            }
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = rest.prefix(room(state))
                try append(part)
                try take(part, &state)
                rest = rest.dropFirst(part.count)
            }
        }
    }

    /// Forgets everything.
    package func restart() throws {
        try state.withLock { state in
            try cut(to: 0)
            state = State()
        }
    }

    /// Judges the whole, and has the disk confirm it; what is not whole is not kept.
    package func finish() throws {
        try state.withLock { state in
            switch check {
            case .none: break
            case .whole(let digest):
                guard Data(state.whole.finalize()) == digest else {
                    try cut(to: 0)
                    state = State()
                    throw InstallRefusal.download("what was downloaded is not what the manifest describes")
                }
            case .pieces(let size, let digests):
                try end(&state, size: size, digests)
                guard (state.position + size - 1) / size == digests.count else {
                    throw InstallRefusal.download("the download ended before the package did")
                }
            }
            guard fsync(descriptor) == 0 else { throw Self.refusal(errno) }
        }
    }

    /// How much more may be hashed before a piece is full.
    private func room(_ state: State) -> Int {
        if case .pieces(let size, _) = check { size - state.position % size } else { 1 << 20 }
    }

    private func take(_ part: Data, _ state: inout State) throws {
        state.position += part.count
        switch check {
        case .none: break
        case .whole: state.whole.update(data: part)
        case .pieces(let size, let digests):
            state.piece.update(data: part)
            guard state.position % size == 0 else { return }
            try judge(&state, piece: state.position / size - 1, start: state.position - size, digests)
        }
    }

    /// The last piece may be shorter.
    private func end(_ state: inout State, size: Int, _ digests: [Data]) throws {
        guard state.position % size != 0 else { return }
        try judge(&state, piece: state.position / size, start: state.position / size * size, digests)
    }

    private func judge(_ state: inout State, piece: Int, start: Int, _ digests: [Data]) throws {
        let digest = Data(state.piece.finalize())
        state.piece = SHA256()
        guard piece < digests.count, digests[piece] == digest else {
            try cut(to: start)
            state.position = start
            throw InstallRefusal.download("a piece of the download is not what the manifest describes")
        }
    }

    private func append(_ bytes: Data) throws {
        do {
            try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: bytes)
        } catch {
            throw Self.refusal(errno)
        }
    }

    private func cut(to size: Int) throws {
        guard ftruncate(descriptor, off_t(size)) == 0, lseek(descriptor, off_t(size), SEEK_SET) >= 0 else {
            throw Self.refusal(errno)
        }
    }

    // Reads what is there as if it came again: a piece that is not whole, or not right, is downloaded anew.
    private func takeBack() throws {
        try state.withLock { state in
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
            var kept = 0
            do {
                while let bytes = try handle.read(upToCount: room(state)), !bytes.isEmpty {
                    guard state.position + bytes.count <= limit else { break }
                    try take(bytes, &state)
                    kept = state.position
                }
            } catch {
                kept = state.position
            }
            if case .pieces(let size, let digests) = check, kept % size != 0 {
                // The rest of a piece is hashed from its beginning, unless it was the last.
                let isLast = kept / size == digests.count - 1
                if !isLast || !hasLast(state, digests) {
                    kept = kept / size * size
                    (state.position, state.piece) = (kept, SHA256())
                }
            }
            try cut(to: kept)
        }
    }

    private func hasLast(_ state: State, _ digests: [Data]) -> Bool {
        digests.last == Data(state.piece.finalize())
    }

    private static func refusal(_ number: Int32) -> InstallRefusal {
        number == ENOSPC || number == EDQUOT
            ? .install("there is not enough space for the package") : .install("the download cannot be written")
    }
}
