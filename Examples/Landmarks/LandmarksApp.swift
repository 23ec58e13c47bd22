import Foundation

/// A terminal app that lists landmarks, and a collection of its own where an administrator made one.
@main
struct LandmarksApp {
    @MainActor
    static func main() async {
        Trace.note("loading")
        let view = LandmarksView()
        // The first view waits for the first configuration: the app never shows itself unconfigured before.
        await LandmarksModel(draw: view.draw).load()
    }
}

/// Notes for tests that ask in which order things happened.
enum Trace {
    private static let isWanted = ProcessInfo.processInfo.environment["LANDMARKS_TRACE"] != nil

    static func note(_ event: String) {
        guard isWanted else { return }
        let now = DispatchTime.now().uptimeNanoseconds
        FileHandle.standardError.write(Data("trace \(now) \(event)\n".utf8))
    }
}
