/// A box that is ticked before something is done that cannot be taken back.
enum Confirmation {
    private static let name = "confirmed"

    static func box(_ label: String, isMissing: Bool = false) -> HTML {
        Field(
            name, label, problem: isMissing ? "Tick this first. Nothing was done." : nil, isRequired: true
        ).box
    }

    /// Whether it was ticked; browsers ask for it, others may not.
    static func isGiven(in call: ConsoleCall) -> Bool { call.request.form[name] == "1" }
}
