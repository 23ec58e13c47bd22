package import AdminMessages

/// What devices answer about apps that are managed by command, as people read it.
package enum CommandedAppText {
    /// One line for each app of the answer to ManagedApplicationList.
    package static func table(of apps: JSON) -> Table {
        var table = Table("APP", "STATE", "CONFIGURATION", "FEEDBACK", "WITH THE ENROLLMENT")
        guard case .object(let members) = apps else { return table }
        for (identifier, app) in members.sorted(by: { $0.key < $1.key }) {
            let isRemoved = (app["ManagementFlags"]?.number ?? 0) & 1 != 0
            table.add(
                identifier, app["Status"]?.text, app["HasConfiguration"] == .boolean(true) ? "yes" : "no",
                app["HasFeedback"] == .boolean(true) ? "waits" : "none", isRemoved ? "is removed" : "stays")
        }
        return table
    }

    /// What a device has begun.
    package static func installing(_ answer: JSON?, named app: String?) -> String {
        let name = answer?["Identifier"]?.text ?? app ?? "the app"
        return "\(Printable.line(name)): \(Printable.line(answer?["State"]?.text ?? "taken"))."
    }

    /// What an app counted, of the answer to ManagedApplicationFeedback; an empty object where nothing waits.
    package static func feedback(of app: String, in answer: JSON?) -> JSON {
        guard case .array(let items) = answer?["ManagedApplicationFeedback"] else { return .object([:]) }
        return items.first { $0["Identifier"]?.text == app }?["Feedback"] ?? .object([:])
    }

    /// What a device has for an app, of the answer to ManagedApplicationConfiguration; nothing where it has nothing.
    package static func configuration(of app: String, in answer: JSON?) -> JSON? {
        guard case .array(let items) = answer?["ApplicationConfigurations"] else { return nil }
        return items.first { $0["Identifier"]?.text == app }?["Configuration"]
    }

    /// Why a device did not change a setting; nothing where it changed all.
    ///
    /// The command itself ends well: its answer says how each setting went.
    package static func failure(ofSettings answer: JSON?) -> Failure? {
        guard case .array(let items) = answer?["Settings"] else { return nil }
        let done = "Acknowledged"
        guard let refused = items.first(where: { ($0["Status"]?.text ?? done) != done }) else {
            return nil
        }
        var reasons = ["the device did not change the configuration"]
        if case .array(let chain) = refused["ErrorChain"] {
            reasons += chain.map { link in
                let code = [link["ErrorDomain"]?.text, link["ErrorCode"]?.number.map { "\($0)" }].compactMap { $0 }
                let words = link["LocalizedDescription"]?.text ?? link["USEnglishDescription"]?.text
                return [code.joined(separator: " "), words].compactMap { $0 }.joined(separator: ": ")
            }
        }
        return Failure(.failed, reasons.joined(separator: "; "))
    }
}
