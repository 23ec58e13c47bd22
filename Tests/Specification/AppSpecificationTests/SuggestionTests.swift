import AppSpecification
import Foundation
import InputBounds
import JSONSchema
import Testing

/// What is said of a configuration ends up in logs and on screens, where none of its values may.
struct SuggestionTests {
    private static let canary = "zq7-hunter2"
    private static let digits: Int64 = 4_815_162_342

    /// The same value with every text, number, date and piece of data exchanged for one that is looked for afterwards.
    private func marked(_ value: PropertyListValue) -> PropertyListValue {
        switch value {
        case .string: .string(Self.canary)
        case .integer, .unsigned: .integer(Self.digits)
        case .real: .real(Double(Self.digits) + 0.5)
        case .date: .date(Date(timeIntervalSince1970: Double(Self.digits)))
        case .data: .data(Data(Self.canary.utf8))
        case .boolean: value
        case .array(let items): .array(items.map(marked))
        case .dictionary(let entries): .dictionary(entries.mapValues(marked))
        }
    }

    private static let marks = [
        canary, "\(digits)", PropertyListValue.text(of: Date(timeIntervalSince1970: Double(digits))),
        Data(canary.utf8).base64EncodedString(),
    ]

    @Test(arguments: try ConformanceKit.groups())
    func nothingThatIsSaidHoldsAValue(group: ConformanceKit.Group) throws {
        let specification = try AppSpecification(group.specification)
        for one in group.cases {
            for finding in specification.findings(in: marked(one.configuration)) {
                for mark in Self.marks { #expect(!finding.description.contains(mark), "\(one.name)") }
            }
        }
    }

    /// A value near to one that is listed is met by the listed one's name; its own letters stay where they are.
    @Test(arguments: try ConformanceKit.groups())
    func noSuggestionRepeatsTheOffendingValue(group: ConformanceKit.Group) throws {
        let specification = try AppSpecification(group.specification)
        let published = String(decoding: specification.canonical(), as: UTF8.self)
        for one in group.cases {
            for finding in specification.findings(in: one.configuration) {
                guard let suggestion = finding.suggestion else { continue }
                for value in texts(one.configuration, at: finding.path.steps[...]) where !published.contains(value) {
                    #expect(!suggestion.contains(value), "\(one.name)")
                }
            }
        }
    }

    /// The texts at a place, or in what is there; short ones are in every sentence.
    private func texts(_ value: PropertyListValue, at steps: ArraySlice<InstanceStep>) -> [String] {
        switch (value, steps.first) {
        case (.string(let text), nil): text.count > 2 ? [text] : []
        case (.array(let items), nil): items.flatMap { texts($0, at: []) }
        case (.dictionary(let entries), nil): entries.values.flatMap { texts($0, at: []) }
        case (.array(let items), .index(let index)):
            items.indices.contains(index) ? texts(items[index], at: steps.dropFirst()) : []
        case (.dictionary(let entries), .key(let key)): entries[key].map { texts($0, at: steps.dropFirst()) } ?? []
        default: []
        }
    }
}
