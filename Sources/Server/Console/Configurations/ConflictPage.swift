import AdminMessages
import InputBounds
import JSONSchema

/// Somebody else saved the configuration meanwhile: what each of the two changed, and how to go on with both.
enum ConflictPage {
    static func merge(
        _ mine: PropertyListValue, since base: SeenVersion?, _ edited: EditedConfiguration, _ door: any AdminDoor,
        preferring side: ConfigurationMerge.Side
    ) async throws -> ConfigurationMerge {
        let nothing = PropertyListValue.dictionary([:])
        // A version that is no longer kept counts as empty: all differences are shown as changed by both. A version
        // that a restore lost counts as empty, too, because another version may have its number now.
        var old: PropertyListValue?
        if let base,
            let version = try await EditedConfiguration.version(base.number, of: edited.app, edited.name, door),
            version.seen == base
        {
            old = version.value
        }
        return ConfigurationMerge(
            base: old ?? nothing, mine: mine, theirs: edited.present?.value ?? nothing, preferring: side)
    }

    static func page(
        _ call: ConsoleCall, _ edited: EditedConfiguration, _ mine: PropertyListValue, since base: SeenVersion?
    ) async throws -> ConsoleAnswer {
        let merge = try await merge(mine, since: base, edited, call.door, preferring: .mine)
        let view = call.request.form["came-from"] ?? call.request.form["view"] ?? "form"
        let buttons: HTML =
            merge.conflicts
            ? """
            <button name="do" value="mine">Continue, with yours where both changed</button>
            <button class="plain" name="do" value="theirs">Continue, with theirs where both changed</button>
            """
            : "<button name=\"do\" value=\"mine\">Continue with both</button>"
        return call.page(
            "\(edited.name) changed meanwhile", in: .apps, trail: edited.trail, status: 409,
            """
            <div class="alert" role="alert"><p><strong>\(try await who(edited, call))</strong></p>\
            <p>Nothing of yours is saved, and nothing is lost: below is what each of you changed.</p></div>
            \(table(merge, edited))
            \(call.form(to: EditorPage.address(edited), """
                <input type="hidden" name="base" value="\(base?.text ?? "")">
                <input type="hidden" name="part" value="\(edited.part ?? "")">
                <input type="hidden" name="came-from" value="\(view)">
                \(EditorState.kept(mine))
                <div class="actions end">\(buttons)</div>
                """ as HTML))
            """)
    }

    private static func who(_ edited: EditedConfiguration, _ call: ConsoleCall) async throws -> String {
        guard let present = edited.present else { return "Somebody else removed this configuration" }
        let versions: Page<AdminMessages.ConfigurationVersion> = try await call.door.get(
            RequestPath.text(edited.path + ["versions"], query: [("limit", "1")]))
        let author = versions.items.first?.author ?? "Somebody else"
        return "\(author) saved version \(present.number) of this configuration"
    }

    private static func table(_ merge: ConfigurationMerge, _ edited: EditedConfiguration) -> HTML {
        Table(
            caption: "What each of you changed", columns: ["Key", "Before", "Yours", "Theirs", "Who changed it"],
            rows: merge.steps.map { step in
                let shown = { (value: PropertyListValue?) in
                    ChangeTable.shown(value, edited.key, step.path, "not set")
                }
                return [
                    "<code>\(step.path.description)</code>", shown(step.base), shown(step.mine), shown(step.theirs),
                    badge(step.outcome),
                ]
            }
        ).html
    }

    private static func badge(_ outcome: ConfigurationMerge.Step.Outcome) -> HTML {
        switch outcome {
        case .mine: Badge(.plain, "You").html
        case .theirs: Badge(.busy, "They").html
        case .both: Badge(.good, "Both, to the same").html
        case .conflict: Badge(.warn, "Both").html
        }
    }
}
