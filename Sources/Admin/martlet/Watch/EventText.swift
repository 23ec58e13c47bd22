package import AdminMessages

/// A change as people read it: when, what, about what, by whom.
package enum EventText {
    package static func line(_ change: ChangeEvent) -> String {
        var parts = [change.time.shown, change.kind]
        let about = [
            change.app, change.name.map { name in change.version.map { "\(name) version \($0)" } ?? name },
            change.name == nil ? change.version.map { "version \($0)" } : nil, change.group.map { "group \($0)" },
            change.device.map { "device \($0)" },
        ].compactMap { $0 }
        parts += about
        if let actor = change.actor, actor != change.device.map({ "device:\($0)" }) { parts.append("by \(actor)") }
        return Printable.line(parts.joined(separator: "  "))
    }
}
