import Dispatch
import Foundation

/// Hears that somebody puts an app into a directory of apps, changes one there, or takes one out.
///
/// It watches the directories, each app's own, and those of the files by which an app is judged. On the way to each
/// directory of apps it watches every directory above for the name of the next one: a directory of apps is noticed that
/// appears, goes, or goes and comes back while a program still holds the old one, and so is one above it that is
/// renamed. What a link leads to, and what is beyond `most` directories, is seen at the agent's next look alone.
final class AppDirectoryNews: Sendable {
    /// One element for the changes that come together, until the task is canceled; for one listener.
    let changes: AsyncStream<Void>

    private let directories: [String]
    private let most: Int
    private let watched: WatchedDirectories
    private let continuation: AsyncStream<Void>.Continuation

    /// Prepares to watch; the first look begins it.
    init(of directories: [String], most: Int = 512) {
        self.directories = Set(directories).sorted()
        self.most = most
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        (changes, self.continuation) = (stream, continuation)
        let watched = WatchedDirectories()
        self.watched = watched
        guard watched.descriptor >= 0 else { return }
        let queue = DispatchQueue(label: "dev.martlet.app-directories")
        let source = DispatchSource.makeReadSource(fileDescriptor: watched.descriptor, queue: queue)
        source.setEventHandler {
            if watched.hasNews() { continuation.yield() }
        }
        // Closed while the queue still listens to it, its number could be another file's.
        source.setCancelHandler { withExtendedLifetime(watched) {} }
        source.activate()
        nonisolated(unsafe) let heard = source
        continuation.onTermination = { _ in unsafe heard.cancel() }
    }

    deinit { continuation.finish() }

    /// Looks after each change, and calls `changed` when an app is another than before, until the task is canceled.
    ///
    /// After each look, the first included, `unusable` hears what cannot be used as an app.
    func follow(unusable: ([UnusableApp]) -> Void, changed: () -> Void) async {
        let disk = DiskRoom()
        let clock = ContinuousClock()
        let first = try? await disk.run { self.lookClosely() }
        var known = first?.apps
        if let first { unusable(first.unusable) }
        var pause = Self.pause(afterLookOf: .zero)
        for await _ in changes {
            guard (try? await Task.sleep(for: pause)) != nil else { return }
            let began = clock.now
            let present = try? await disk.run { self.lookClosely() }
            pause = Self.pause(afterLookOf: clock.now - began)
            guard let present else { continue }
            unusable(present.unusable)
            guard present.apps != known else { continue }
            known = present.apps
            changed()
        }
    }

    /// How long a change waits for its look: what is copied is not whole at once, and programs that write in an app's
    /// directory without end cost a twentieth of the time.
    static func pause(afterLookOf took: Duration) -> Duration { min(max(.milliseconds(500), took * 20), .seconds(20)) }

    /// The apps that are there, after it has begun to watch what is there: no change is between both.
    func look() -> Set<AppSnapshot> { lookClosely().apps }

    /// The same, with what cannot be used as an app.
    private func lookClosely() -> (apps: Set<AppSnapshot>, unusable: [UnusableApp]) {
        var found = WatchedDirectories.Interests()
        // Each is watched before it is read, so that what is put there meanwhile is heard.
        for directory in directories { addWay(to: directory, &found) }
        add(directories, &found)
        let entries = directories.flatMap(AppCatalog.entries)
        add(entries, &found)
        let files = entries.compactMap(AppCatalog.bundle).flatMap(\.judgedFiles)
        let inner = Set(files.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path })
        add(inner.sorted(), &found)
        watched.keep(found)
        let present = AppCatalog.find(in: directories)
        return (Set(present.apps.map(AppSnapshot.init)), present.unusable)
    }

    /// In how many directories apps and their files are watched; those on the way there are not counted.
    var count: Int { watched.contentCount }

    /// Watches what is in directories, as far as there may be more.
    private func add(_ places: [String], _ found: inout WatchedDirectories.Interests) {
        for place in places where found.contents.count < most { watched.add(place, to: &found) }
    }

    /// Watches the way to a directory from the root on, at each step for the name of the next one.
    ///
    /// What appears or goes after its step was watched is heard, so the way need not stand still meanwhile.
    private func addWay(to directory: String, _ found: inout WatchedDirectories.Interests) {
        var place = ""
        for step in URL(fileURLWithPath: directory).standardizedFileURL.path.split(separator: "/") {
            watched.add(place.isEmpty ? "/" : place, name: Array(step.utf8), to: &found)
            place += "/\(step)"
        }
    }
}
