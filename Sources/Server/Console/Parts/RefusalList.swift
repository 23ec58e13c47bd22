import AdminMessages

/// Refusals, each with its key, the app's own words, what they mean and what to do.
enum RefusalList {
    static func html(_ refusals: [ConfigurationRefusal], _ call: ConsoleCall) -> HTML {
        guard !refusals.isEmpty else {
            return "<p>\(Badge(.good, "None").html) The app accepts what its devices have.</p>"
        }
        let items: [HTML] = refusals.prefix(100).map { item($0, call) }
        let more: HTML? = refusals.count > 100 ? "<p class=\"muted\">\(refusals.count - 100) more.</p>" : nil
        return "\(byKey(refusals))<ul class=\"list\">\(items)</ul>\(more)"
    }

    /// Where it is refused on most devices.
    private static func byKey(_ refusals: [ConfigurationRefusal]) -> HTML? {
        let sums = Dictionary(refusals.map { ($0.keyPath ?? "", $0.devices) }, uniquingKeysWith: +)
        guard sums.count > 1 else { return nil }
        let bars = sums.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.prefix(8).map { key, devices in
            Bars.Bar(label: key.isEmpty ? "no key" : Code.html(key), number: devices, tone: .bad)
        }
        return Bars(caption: "Refusals by key", of: "Key", counted: "Devices", bars: bars).html
    }

    private static func item(_ refusal: ConfigurationRefusal, _ call: ConsoleCall) -> HTML {
        let key: HTML = refusal.keyPath.map { "at <code>\($0)</code>" } ?? "without naming a key"
        let supplied: HTML? =
            refusal.keyPathSupplied == true ? " <span class=\"muted\">(where decoding stopped)</span>" : nil
        let count = refusal.devices == 1 ? "1 device" : "\(refusal.devices) devices"
        let what = [
            refusal.configurationName.map { name in
                "configuration \(name)" + (refusal.configurationVersion.map { ", version \($0)" } ?? "")
            }, refusal.appVersion.map { "app \($0)" }, refusal.extension.map { "extension \($0)" },
        ].compactMap { $0 }.joined(separator: " · ")
        let message: HTML? = refusal.message.map { "<p>“\($0)”</p>" }
        let explanation: HTML? = refusal.explanation.map { explanation in
            let remedy: HTML? = explanation.remedy.map { "<br><strong>What to do:</strong> \($0)" }
            return "<p>\(explanation.meaning)\(remedy)</p>"
        }
        let code: HTML? = refusal.code.map { " · code \($0)" }
        return """
            <li><p>\(Badge(.bad, "Refused").html) \(key)\(supplied)</p>\(message)\(explanation)
            <p class="muted">\(count) · \(what)\(code) · since \(Moment.html(refusal.since, now: call.request.now))</p></li>
            """
    }
}
