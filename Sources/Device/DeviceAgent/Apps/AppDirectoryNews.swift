import CLinux
import Dispatch
import Foundation

/// Hears that somebody puts an app into a directory of apps, or takes one out.
enum AppDirectoryNews {
    /// After a change the directories are looked at once more after each of these: what is copied is not whole at once.
    static let looks: [Duration] = [.milliseconds(500), .seconds(2), .seconds(5), .seconds(20)]

    /// One element for the changes that come together, until the task is canceled.
    ///
    /// A directory that is not there, and one that the system watches no more, is passed over.
    static func changes(of directories: [String]) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let queue = DispatchQueue(label: "dev.martlet.app-directories")
        nonisolated(unsafe) let sources: [any DispatchSourceRead] = Set(directories).sorted().compactMap { path in
            let watch = unsafe clinux_watch_directory_names(path)
            guard watch >= 0 else { return nil }
            let source = DispatchSource.makeReadSource(fileDescriptor: watch, queue: queue)
            source.setEventHandler {
                clinux_watch_wait(watch, 0)
                continuation.yield()
            }
            source.setCancelHandler { close(watch) }
            source.activate()
            return source
        }
        continuation.onTermination = { _ in
            for source in unsafe sources { source.cancel() }
        }
        return stream
    }
}
