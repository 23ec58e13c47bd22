import Foundation
import ManagedApp

/// The app as if an administrator had configured it, for reviewers and for customers who are not managed yet.
enum LandmarksDemo {
    /// The first sample of the specification, and what the demo shows.
    static let sample = #"{"managedCollection": {"title": "Parks to visit", "landmarks": [1001, 1004]}}"#

    /// The demo that `--demo` asks for; a configuration that an administrator made goes before it.
    static func asked(by arguments: [String] = CommandLine.arguments) throws -> ManagedAppDemo? {
        guard arguments.dropFirst().contains("--demo") else { return nil }
        let values = try JSONSerialization.jsonObject(with: Data(sample.utf8))
        let demo = ManagedAppDemo(
            configuration: try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0))
        demo.isOn = true
        return demo
    }
}
