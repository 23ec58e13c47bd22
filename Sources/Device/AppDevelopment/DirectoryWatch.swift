import CLinux
import Dispatch
import Foundation

/// Hears that something in a few directories changed; used on one queue alone.
///
/// What changes in quick succession is told of once.
struct DirectoryWatch: ~Copyable {
    private let sources: [any DispatchSourceRead]

    /// Begins to listen; a directory that is not there is passed over.
    init(_ directories: Set<String>, on queue: DispatchQueue, changed: @escaping @Sendable () -> Void) {
        sources = directories.sorted().compactMap { path in
            let watch = unsafe clinux_watch_files(path)
            guard watch >= 0 else { return nil }
            let source = DispatchSource.makeReadSource(fileDescriptor: watch, queue: queue)
            source.setEventHandler {
                clinux_watch_wait(watch, 0)
                changed()
            }
            source.setCancelHandler { close(watch) }
            source.activate()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
    }
}
