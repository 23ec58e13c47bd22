import AppSpecification
import ManagedApp
import ManagedAppSpecification
import Testing

/// Errors that mean the same for every app are explained once, by the numbers that apps throw: A15, S4-SPEC-03.
struct StandardErrorTests {
    private typealias Code = ManagedAppConfigurationDecodingErrorCode

    @Test func eachRuleOfTheMacroHasAMeaningAndARemedy() {
        #expect(SpecifiedError.rules.map(\.code) == ConfigurationRuleError.Kind.allCases.map(\.rawValue))
        #expect(SpecifiedError.rules.allSatisfy { $0.remedy != nil && $0.name != nil })
    }

    @Test func theSystemsCodesAreThoseOfTheLibrary() {
        let codes = [
            ("generic", Code.generic), ("timeout", Code.timeout), ("keyNotFound", Code.keyNotFound),
            ("typeMismatch", Code.typeMismatch), ("valueNotFound", Code.valueNotFound),
            ("dataCorrupted", Code.dataCorrupted),
        ]
        for (name, code) in codes { #expect(SpecifiedError.standard(code)?.name == name) }
        #expect(SpecifiedError.system.count == codes.count)
        #expect(SpecifiedError.standard(100) == nil)
    }
}
