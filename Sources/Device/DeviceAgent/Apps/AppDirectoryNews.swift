import CLinux
import Dispatch
import Foundation
import Synchronization

/// Hears that somebody puts an app into a directory of apps, changes one there, or takes one out.
///
/// It watches the directories, each app's own, and those of the files by which an app is judged. Of a directory of apps
/// that is not there it watches the nearest one above, until it appears. What a link leads to, and what is beyond
/// `most` directories, is seen at the agent's next look alone.
final class AppDirectoryNews: Sendable {
    /// One element for the changes that come together, until the task is canceled; for one listener.
    let changes: AsyncStream<Void>

    private let directories: [String]
    private let most: Int
    private let watch: Watch
    private let continuation: AsyncStream<Void>.Continuation
    private let watched = Mutex<Set<Int32>>([])

    /// Prepares to watch; the first look begins it.
    init(of directories: [String], most: Int = 512) {
        self.directories = Set(directories).sorted()
        self.most = most
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        (changes, self.continuation) = (stream, continuation)
        let watch = Watch()
        self.watch = watch
        guard watch.descriptor >= 0 else { return }
        let queue = DispatchQueue(label: "dev.martlet.app-directories")
        let source = DispatchSource.makeReadSource(fileDescriptor: watch.descriptor, queue: queue)
        source.setEventHandler {
            clinux_watch_wait(watch.descriptor, 0)
            continuation.yield()
        }
        // Closed while the queue still listens to it, its number could be another file's.
        source.setCancelHandler { withExtendedLifetime(watch) {} }
        source.activate()
        nonisolated(unsafe) let heard = source
        continuation.onTermination = { _ in unsafe heard.cancel() }
    }

    deinit { continuation.finish() }

    /// Looks after each change, and calls `changed` when an app is another than before, until the task is canceled.
    func follow(_ changed: () -> Void) async {
        let disk = DiskRoom()
        let clock = ContinuousClock()
        var known = try? await disk.run { self.look() }
        var pause = Self.pause(afterLookOf: .zero)
        for await _ in changes {
            guard (try? await Task.sleep(for: pause)) != nil else { return }
            let began = clock.now
            let present = try? await disk.run { self.look() }
            pause = Self.pause(afterLookOf: clock.now - began)
            guard let present, present != known else { continue }
            known = present
            changed()
        }
    }

    /// How long a change waits for its look: what is copied is not whole at once, and programs that write in an app's
    /// directory without end cost a twentieth of the time.
    static func pause(afterLookOf took: Duration) -> Duration { min(max(.milliseconds(500), took * 20), .seconds(20)) }

    /// The apps that are there, after it has begun to watch what is there: no change is between both.
    func look() -> Set<AppSnapshot> {
        watched.withLock { watched in
            var found: Set<Int32> = []
            for directory in directories { watchAbove(directory, &found) }
            for place in places() where found.count < most { add(place, withFiles: true, to: &found) }
            for gone in watched.subtracting(found) { clinux_watch_remove(watch.descriptor, gone) }
            watched = found
        }
        return Set(AppCatalog.scan(directories).map(AppSnapshot.init))
    }

    /// How many directories are watched.
    var count: Int { watched.withLock { $0.count } }

    /// What is worth a watch, the nearest first.
    private func places() -> [String] {
        let entries = directories.flatMap(AppCatalog.entries)
        let files = entries.compactMap(AppCatalog.bundle).flatMap(\.judgedFiles)
        let inner = Set(files.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path })
        return directories + entries + inner.sorted()
    }

    private func add(_ path: String, withFiles: Bool, to found: inout Set<Int32>) {
        let number = unsafe clinux_watch_add(watch.descriptor, path, withFiles ? 1 : 0)
        if number >= 0 { found.insert(number) }
    }

    /// Watches what is above a directory that is not there.
    private func watchAbove(_ directory: String, _ found: inout Set<Int32>) {
        var above: String?
        // What was made before the watch began is found now.
        while let nearest = Self.nearest(above: directory), nearest != above {
            add(nearest, withFiles: false, to: &found)
            above = nearest
        }
    }

    /// The nearest directory above one that is not there; nothing above one that is.
    private static func nearest(above directory: String) -> String? {
        var place = URL(fileURLWithPath: directory).standardizedFileURL
        guard !isDirectory(place.path) else { return nil }
        repeat { place.deleteLastPathComponent() } while !isDirectory(place.path) && place.path != "/"
        return place.path
    }

    private static func isDirectory(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
    }
}

/// What the kernel notices changes with; it is closed when nobody uses it any more.
private final class Watch: Sendable {
    let descriptor = clinux_watch_create()

    deinit { if descriptor >= 0 { close(descriptor) } }
}
