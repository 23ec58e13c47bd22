import CLinux
import Foundation
import Synchronization

/// Directories whose changes the kernel notices, and what of each is news.
///
/// The kernel has one number for a directory, however many paths lead to it: what is asked of it adds up.
final class WatchedDirectories: Sendable {
    /// What of directories is news, by their numbers.
    struct Interests: Sendable {
        /// Those of which all is: their entries, and the files in them.
        private(set) var contents: Set<Int32> = []
        /// Of the others, the entries by these names, in bytes.
        private var names: [Int32: Set<[UInt8]>] = [:]

        var numbers: Set<Int32> { contents.union(names.keys) }

        mutating func insert(_ directory: Int32, name: [UInt8]?) {
            guard let name else {
                contents.insert(directory)
                return
            }
            names[directory, default: []].insert(name)
        }

        /// Whether an event is news; one of a directory that is not known, or was lost, is.
        func isNews(_ event: DirectoryEvent) -> Bool {
            guard !event.isFarewell else { return false }
            guard !event.name.isEmpty, !contents.contains(event.directory), let wanted = names[event.directory] else {
                return true
            }
            return wanted.contains(event.name)
        }
    }

    // Some thousand events: what is beyond is read at the next turn.
    private static let mostBytes = 65_536

    let descriptor = clinux_watch_create()
    private let interests = Mutex(Interests())

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Watches a directory from now on: all of it, or only its entries called `name`, and that it goes itself.
    ///
    /// Nothing happens where there is none, or it may not be read.
    func add(_ path: String, name: [UInt8]? = nil, to found: inout Interests) {
        let number = unsafe clinux_watch_add(descriptor, path, name == nil ? 1 : 0)
        guard number >= 0 else { return }
        found.insert(number, name: name)
        // At once: what happens until `keep` is judged by what was asked before and now.
        interests.withLock { $0.insert(number, name: name) }
    }

    /// Watches nothing any more but what was found.
    func keep(_ found: Interests) {
        let gone = interests.withLock { interests -> Set<Int32> in
            defer { interests = found }
            return interests.numbers.subtracting(found.numbers)
        }
        for number in gone { clinux_watch_remove(descriptor, number) }
    }

    /// Reads what the kernel noticed, and says whether some of it is news.
    func hasNews() -> Bool {
        var chunk = [UInt8](repeating: 0, count: Self.mostBytes)
        let count = unsafe chunk.withUnsafeMutableBytes { bytes -> Int in
            guard let start = bytes.baseAddress else { return 0 }
            return unsafe clinux_watch_read(descriptor, start, bytes.count)
        }
        guard count > 0 else { return false }
        let events = DirectoryEvent.all(in: Array(chunk.prefix(count)))
        return interests.withLock { interests in events.contains { interests.isNews($0) } }
    }

    /// Of how many directories all is news.
    var contentCount: Int { interests.withLock { $0.contents.count } }
}
