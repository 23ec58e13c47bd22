import AppSpecification
import Foundation
import InputBounds
import TestInputs
import Testing

struct RoundTripTests {
    private static let times = max(1, Mutation.iterations / 10)

    @Test(arguments: SpecificationFormat.allCases)
    func whatIsReadAgainIsWhatWasWrittenButForWhatTheNotesList(format: SpecificationFormat) throws {
        var carried = 0
        for round in 0..<Self.times {
            var random = RandomKeys(seed: Mutation.seed &+ UInt64(round))
            let (keys, isSame) = try check(random.specification(), format, "round \(round)")
            carried += keys
            if !isSame { break }
        }
        #expect(carried > Self.times / 4)
    }

    private static let published = SpecificationFormat.allCases.flatMap { Golden.inputs($0.rawValue) }

    @Test(arguments: published, SpecificationFormat.allCases)
    func whatWasPublishedInOneFormatGoesThroughEachOther(path: String, format: SpecificationFormat) throws {
        let read = try SpecificationFormat.read(Golden.data(path), bundleIdentifier: "com.example.app")
        _ = try check(read.value, format, path)
    }

    /// Tells how many keys came through, and whether they were those that should have.
    private func check(
        _ specification: AppSpecification, _ format: SpecificationFormat, _ name: String
    ) throws -> (keys: Int, isSame: Bool) {
        guard let written = try? SpecificationFormat.write(specification, as: format) else { return (0, true) }
        var expected = NotedKeys(specification)
        expected.apply(written.notes)
        let identifier = specification.app.bundleIdentifier
        let read = try SpecificationFormat.read(written.value, as: format, bundleIdentifier: identifier)
        // Restrictions only refer to values, of which there are none in the file; that nothing here stands for a variable
        // is said each time.
        let surprises = read.notes.filter { ($0.keyword != "enum" || format != .android) && $0.keyword != "x-variable" }
        #expect(surprises.isEmpty, "\(name)")
        var (found, wanted) = (read.value.configuration.unnumbered, expected.root.unnumbered)
        // Those of a manifest come back in another form; what they mean is tried by `ManifestConditionTests`.
        if format == .profileManifest { (found.conditions, wanted.conditions) = ([], []) }
        let difference = found.difference(from: wanted)
        #expect(difference == nil, "\(name): \(written.notes.filter { $0.keyword != "x-order" })")
        #expect(SpecificationFormat.detected(in: written.value) == format, "\(name)")
        #expect(read.value.app.bundleIdentifier == identifier)
        return (read.value.configuration.keys.count, difference == nil)
    }
}
