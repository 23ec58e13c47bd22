import AppSpecification
import Foundation
import InputBounds

/// Measures what it takes to read a configuration and hold it against a specification, on one core.
///
/// `SpecificationBench [ROUNDS]` prints a line of JSON for a configuration of about one megabyte and one of twenty kilobytes:
/// megabytes a second in the best round and in the median one, and how much of the time was parsing.
@main
struct SpecificationBench {
    static func main() throws {
        let rounds = CommandLine.arguments.count > 1 ? Int(CommandLine.arguments[1]) ?? 0 : 50
        guard rounds > 0 else { throw Unusable(reason: "ROUNDS is a number of 1 or more") }
        let specification = try AppSpecification(MadeSpecification.document)
        for (size, repeated) in [(20_000, 50), (1_000_000, 1)] {
            let data = MadeConfiguration.ofAbout(size)
            let findings = specification.findings(in: try read(data))
            guard findings.isEmpty else { throw Unusable(reason: "\(findings[0].description)") }
            try measure(specification, data, rounds: rounds, repeated: repeated)
        }
    }

    private static func measure(
        _ specification: AppSpecification, _ data: Data, rounds: Int, repeated: Int
    ) throws {
        var whole: [Double] = []
        var parsing: [Double] = []
        for _ in 0..<rounds {
            let begun = DispatchTime.now().uptimeNanoseconds
            for _ in 0..<repeated {
                guard specification.findings(in: try read(data)).isEmpty else { throw Unusable(reason: "it changed") }
            }
            let middle = DispatchTime.now().uptimeNanoseconds
            for _ in 0..<repeated { _ = try read(data) }
            let ended = DispatchTime.now().uptimeNanoseconds
            whole.append(Double(middle - begun))
            parsing.append(Double(ended - middle))
        }
        whole.sort()
        parsing.sort()
        let bytes = Double(data.count * repeated)
        func rate(_ nanoseconds: Double) -> String { String(format: "%.1f", bytes * 1_000 / nanoseconds) }
        print(
            #"{"bytes": \#(data.count), "MBps": \#(rate(whole[0])), "medianMBps": \#(rate(whole[rounds / 2])), "#
                + #""parsingMBps": \#(rate(parsing[0])), "#
                + #""parsingShare": \#(String(format: "%.2f", parsing[0] / whole[0]))}"#)
    }

    private static func read(_ data: Data) throws -> PropertyListValue {
        try PropertyListValue(parsing: data, limits: .configuration)
    }

    private struct Unusable: Error {
        let reason: String
    }
}
