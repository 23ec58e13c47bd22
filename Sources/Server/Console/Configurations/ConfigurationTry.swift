import AdminMessages
import Foundation
import InputBounds

/// A configuration that an app on a device is asked to decode, before anybody is given it.
struct ConfigurationTry: Sendable {
    let device: String
    var trial: ConfigurationTrial?
    /// Why it was not begun.
    var problem: Problem?

    /// How often and how long a page waits for a device; longer trials are looked at again.
    private static let looks = 12
    private static let pause = Duration.milliseconds(250)

    /// Begins a trial, or looks at one again: `wish` is the value of the button.
    static func answer(
        _ wish: String, _ value: PropertyListValue, of edited: EditedConfiguration, _ call: ConsoleCall
    ) async throws -> ConfigurationTry {
        let device = (call.request.form["device"] ?? "").trimmingCharacters(in: .whitespaces)
        var result = ConfigurationTry(device: device)
        guard !device.isEmpty else { return result }
        let path = ["devices", device, "apps", edited.app, "configuration-trials"]
        do {
            let parts = wish.split(separator: " ")
            if parts.count == 2 {
                result.trial = try await call.door.get(RequestPath.text(path + [String(parts[1])]))
            } else {
                let query = edited.part.map { [("extension", $0)] } ?? []
                let answer = try await call.door.send(
                    "POST", RequestPath.text(path, query: query), bytes: value.xml(), type: "application/xml")
                result.trial = try AdminJSON.decode(ConfigurationTrial.self, from: answer.body)
            }
            for _ in 0..<looks {
                guard let trial = result.trial, let id = trial.id, !trial.state.isFinal else { break }
                try await Task.sleep(for: pause)
                result.trial = try await call.door.get(RequestPath.text(path + [id]))
            }
        } catch let refusal as AdminRefused where refusal.status != 401 {
            result.problem = refusal.problem
        }
        return result
    }

    static func html(_ trial: ConfigurationTry?, _ call: ConsoleCall) -> HTML {
        let field = Field(
            "device", "Device", value: trial?.device ?? call.request.form["device"] ?? "",
            hint: "The identifier of a device on which the app runs. The app decodes it and uses nothing of it.")
        let again: HTML =
            trial?.trial.flatMap { one in
                guard let id = one.id, !one.state.isFinal else { return nil }
                return "<button class=\"plain\" name=\"do\" value=\"try \(id)\">Look again</button>"
            } ?? ""
        return """
            \(trial.map { "<div role=\"status\">\($0.said)</div>" as HTML })\(field.line)
            <div class="actions"><button class="plain" name="do" value="try">Try it</button>\(again)</div>
            """
    }

    private var said: HTML {
        if let problem { return "<p>\(Badge(.bad, "Not tried").html) \(problem.title). \(problem.detail ?? "")</p>" }
        guard let trial else { return "<p>\(Badge(.warn, "Not tried").html) Name a device.</p>" }
        switch trial.state {
        case .accepted: return "<p>\(Badge(.good, "Accepted").html) The app on \(device) decodes it.</p>"
        case .refused:
            let refusal = trial.refusal
            let key = refusal?.keyPath.map { " at \($0)" } ?? ""
            let words = "Error \(refusal.map { "\($0.code)" } ?? "")\(key): \(refusal?.message ?? "no message")"
            return "<p>\(Badge(.bad, "Refused").html) \(words)</p>"
        case .waiting, .running: return "<p>\(Badge(.busy, "Waiting").html) The device has not answered yet.</p>"
        default:
            let why = [trial.reason?.rawValue, trial.missing?.joined(separator: ", ")].compactMap(\.self)
            return "<p>\(Badge(.warn, "Not tried").html) \(trial.state.rawValue) \(why.joined(separator: ": "))</p>"
        }
    }
}
