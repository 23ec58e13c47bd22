import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The demonstration of 2013 on a terminal: a URL bar, two counters, the page as text, and a switch for document sync.
///
/// Lines are its buttons: `go`, `url ADDRESS`, `sync on`, `sync off`, `quit`. Nothing here is Martlet's: the app is what it
/// would be on a telephone, and links `ManagedAppLegacy` without importing it.
@main
struct PageViewerApp {
    @MainActor static func main() async {
        UserDefaults.standard.register(defaults: ManagedSettings.defaults)
        let viewer = Viewer()
        // First the observer, then the first reading: a change between the two is seen by one of them.
        let observer = NotificationCenter.default.addObserver(
            forName: UserDefaults.didChangeNotification, object: nil, queue: .main
        ) { _ in
            MainActor.assumeIsolated { viewer.readDefaults() }
        }
        viewer.readDefaults()
        let (lines, typed) = AsyncStream<String>.makeStream()
        Thread.detachNewThread {
            while let line = readLine() { typed.yield(line) }
            typed.finish()
        }
        for await line in lines {
            guard await viewer.take(line) else { break }
        }
        NotificationCenter.default.removeObserver(observer)
    }
}

/// What the screen shows.
@MainActor
final class Viewer {
    private var settings = ManagedSettings.now
    private var page = ""
    private var shown = ""
    private var hasRead = false

    /// The one reader: called once at the start, and at each change.
    func readDefaults() {
        let new = ManagedSettings.now
        if !hasRead || new != settings {
            for _ in new.mistakes { Feedback.add(.configurationError) }
        }
        (settings, hasRead) = (new, true)
        show()
    }

    /// Does what a line says; false at the end.
    func take(_ line: String) async -> Bool {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        switch words.first {
        case "go": await load()
        case "url" where words.count == 2:
            UserDefaults.standard.set(words[1], forKey: ManagedSettings.Key.serverURL)
            settings = .now
        case "sync" where settings.isSyncTheirs:
            UserDefaults.standard.set(words.last == "on", forKey: ManagedSettings.Key.documentSync)
            settings = .now
        case "quit": return false
        default: break
        }
        show()
        return true
    }

    private func load() async {
        page = ""
        do {
            guard let url = settings.serverURL else { throw URLError(.badURL) }
            let (data, response) = try await URLSession.shared.data(for: URLRequest(url: url, timeoutInterval: 5))
            guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
            page = String(decoding: data.prefix(400), as: UTF8.self).split(separator: "\n").joined(separator: " ")
            Feedback.add(.success)
        } catch {
            Feedback.add(.failure, error: "\(settings.serverURL?.absoluteString ?? "no address"): \(code(of: error))")
        }
    }

    private func code(of error: any Error) -> Int { (error as? URLError)?.code.rawValue ?? 0 }

    private func show() {
        let text = """
            URL      \(settings.serverURL?.absoluteString ?? "")
            success  \(Feedback.number(.success))
            failure  \(Feedback.number(.failure))
            sync     \(settings.isSyncOn ? "on" : "off")\(settings.isSyncTheirs ? "" : ", by your organization")
            page     \(page)

            """
        guard text != shown else { return }
        shown = text
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}
