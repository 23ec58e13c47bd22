import AppSpecification
import InputBounds
import JSONSchema
import Testing

struct ConformanceKitTests {
    @Test(arguments: try ConformanceKit.groups())
    func everyCaseComesOutAsTheKitSays(group: ConformanceKit.Group) throws {
        let specification = try AppSpecification(group.specification)
        for one in group.cases {
            let findings = specification.findings(in: one.configuration)
            let errors = findings.filter { $0.severity == .error }
            let warnings = findings.filter { $0.severity == .warning }
            #expect(places(errors) == one.errors.map(\.place).sorted(), "\(one.name)")
            #expect(places(warnings) == one.warnings.map(\.place).sorted(), "\(one.name)")
            for expected in one.errors + one.warnings {
                guard let wanted = expected.suggestion else { continue }
                let found = findings.first { "\($0.path): \($0.rule)" == expected.place }?.suggestion
                #expect(wanted == found.map { .text($0) } ?? .nothing, "\(one.name): \(found ?? "nothing")")
            }
        }
    }

    private func places(_ findings: [ConfigurationFinding]) -> [String] {
        findings.map { "\($0.path): \($0.rule)" }.sorted()
    }

    /// The kit is worth something only if it notices each rule that is missing.
    @Test(arguments: SchemaRule.allCases.filter { $0 != .effort })
    func leavingOutARuleFailsACaseThatNamesIt(rule: SchemaRule) throws {
        var failing = 0
        for group in try ConformanceKit.groups() where group.rule == rule.rawValue {
            let schema = try JSONSchema(group.specification, leavingOut: [rule])
            failing += group.cases.count { one in
                let found = schema.violations(of: one.configuration).map { "\($0.path): \($0.rule.rawValue)" }
                return found.sorted() != one.errors.map(\.place).sorted()
            }
        }
        #expect(failing > 0)
    }

    @Test func theKitIsLargeEnoughAndNamesEveryRule() throws {
        let groups = try ConformanceKit.groups()
        #expect(groups.reduce(0) { $0 + $1.cases.count } >= 300)
        for rule in SchemaRule.allCases.map(\.rawValue) + ["unknownKey", "deprecated"] {
            let cases = groups.filter { $0.rule == rule }.flatMap(\.cases)
            #expect(cases.count >= 4, "\(rule)")
            // Some pass and some do not, or it would not be told what the rule does.
            let passing = cases.count { $0.errors.isEmpty && $0.warnings.isEmpty }
            #expect(passing > 0 && passing < cases.count, "\(rule)")
        }
        #expect(Set(groups.map(\.testDescription)).count == groups.count)
        for group in groups { #expect(Set(group.cases.map(\.name)).count == group.cases.count, "\(group.about)") }
    }
}
