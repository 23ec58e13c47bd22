import ArgumentParser
import Foundation

/// What a run measured: JSON for programs, a text for people.
protocol LoadResult: Encodable {
    var text: String { get }
}

/// How the result of a run is printed.
struct Output: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false

    func show(_ result: some LoadResult) throws {
        guard json else { return print(result.text) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        print(String(decoding: try encoder.encode(result), as: UTF8.self))
    }
}
