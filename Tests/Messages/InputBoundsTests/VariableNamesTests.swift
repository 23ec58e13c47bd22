import InputBounds
import Testing

/// A variable with the name of none that the program knows is refused if it is nearly one of them, and reported otherwise.
struct VariableNamesTests {
    private let names = VariableNames(prefix: "T_", known: ["PORT", "HOSTNAMES"], foreign: ["T_ELSE_"])

    @Test(arguments: [("T_PROT", "T_PORT"), ("T_port", "T_PORT"), ("T_HOSTNAME", "T_HOSTNAMES")])
    func aNearNameIsRefusedWithTheNearest(name: String, meant: String) {
        let judged = names.judge([name, "PATH"])
        #expect(judged.refusal?.contains("\(name) (did you mean \(meant)?)") == true)
    }

    @Test func otherNamesAreReportedAlone() {
        let judged = names.judge(["T_PORT", "T_ZEBRA", "T_ELSE_PORT", "PROT", "T_HOSTNAMES"])
        #expect(judged.refusal == nil)
        #expect(judged.unknown == ["T_ZEBRA"])
    }
}
