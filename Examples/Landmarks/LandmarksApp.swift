import Foundation
import ManagedAppSpecification

/// A terminal app that lists landmarks, and a collection of its own where an administrator made one.
@main
struct LandmarksApp {
    @MainActor
    static func main() throws {
        try PublishedSpecification.emitIfAsked(try LandmarksManagedConfig.specification)
        Trace.note("loading")
        // The first view waits for the first configuration: the app never shows itself unconfigured before.
        let model = LandmarksModel(draw: LandmarksView().draw)
        if let demo = try LandmarksDemo.asked() {
            // A configuration from an administrator takes precedence over the demo, also in the legacy dictionary.
            LandmarksLegacy.follow { demo.isOn = LandmarksLegacy.config == nil }
            Task { await model.load(with: demo) }
        } else {
            LandmarksLegacy.follow { model.legacyChanged() }
            Task { await model.load() }
        }
        Task { await model.followIdentities() }
        Task { await model.followCertificates() }
        // On the run loop the main thread itself does the main actor's work and sleeps in between. An asynchronous
        // `main` would leave that to a pool of threads, over which the runtime on Linux watches once a second.
        RunLoop.main.run()
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
