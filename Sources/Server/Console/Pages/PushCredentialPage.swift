import AdminMessages
import Foundation

/// By what Apple devices are woken.
enum PushCredentialPage {
    static let path = ["push-credential"]
    static let routes = [
        ConsoleRoute(.get, "/push-credential", serve: { call in try await show(call) }),
        ConsoleRoute(.post, "/push-credential", serve: set),
        ConsoleRoute(.post, "/push-credential/remove", serve: remove),
    ]

    private static func show(_ call: ConsoleCall, refusal: AdminRefused? = nil) async throws -> ConsoleAnswer {
        let present = try await credential(call)
        let state: HTML =
            present.map { facts($0, call) }
            ?? EmptyState.html(
                "Apple devices are not woken",
                "Upload the MDM push certificate that Apple's push certificates portal issued, with its private key.")
        return call.page(
            "Waking Apple devices", in: .health, trail: [Shell.Step("Health", ["health"])],
            status: refusal?.status ?? 200,
            "\(refusal.map { ProblemPage.alert($0.problem) })\(Panel.html("Push certificate", state))\(form(call, present))"
        )
    }

    /// Nothing where there is none.
    static func credential(_ call: ConsoleCall) async throws -> PushCredential? {
        do {
            return try await call.door.get(RequestPath.text(path))
        } catch let refusal as AdminRefused where refusal.status == 404 {
            return nil
        }
    }

    private static func facts(_ credential: PushCredential, _ call: ConsoleCall) -> HTML {
        Facts.explained([
            (
                "Kind", "\(credential.kind == .certificate ? "MDM push certificate" : "Key for provider tokens")",
                "Apple accepts pushes to MDM clients with certificates only."
            ),
            ("Topic", Code.html(credential.topic), "Enrollment profiles name it. It stays the same when you renew."),
            (
                "Ends", credential.expires.map { Moment.html($0, now: call.request.now) },
                "After that no Apple device is woken. Renew it with the Apple account that made it."
            ),
            ("Wakes", "\(credential.reachable)", "Enrollments of Apple devices that the server can wake with it."),
            (
                "Refused", "\(credential.retired)",
                "Enrollments whose token the push service refused for good. These devices connect only by themselves."
            ),
            (
                "Uploaded", Moment.html(credential.uploaded, now: call.request.now),
                "By \(credential.author)."
            ),
        ])
    }

    private static func form(_ call: ConsoleCall, _ present: PushCredential?) -> HTML? {
        guard call.may(.administer) else { return nil }
        let certificate = Field(
            "certificate", "Certificate", value: call.request.form["certificate"] ?? "",
            hint: "In PEM, as Apple's push certificates portal gives it.", isRequired: true)
        // A key is not shown again.
        let key = Field("key", "Private key", value: "", hint: "In PEM, without a passphrase.", isRequired: true)
        let upload = Panel.html(
            present == nil ? "Upload it" : "Replace it",
            call.form(
                to: ConsolePath.text(path),
                """
                \(shown(present, tag: nil).hidden)\(certificate.area(rows: 8))\(key.area(rows: 8))
                <div class="field"><label><input type="checkbox" name="replaceTopic" value="yes"> Take another topic: \
                enrolled Apple devices hear nothing more until they enroll again</label></div>
                <button>Upload</button>
                """))
        guard let present else { return upload }
        let removal = Panel.html(
            "Remove it",
            call.form(
                to: ConsolePath.text(path + ["remove"]),
                """
                \(shown(present, tag: nil).hidden)<p>Apple devices are no longer woken and connect only by themselves.</p>\
                <button class="danger">Remove</button>
                """))
        return "\(upload)\(removal)"
    }

    private static func set(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let request = PushCredentialRequest(
            certificate: call.request.form["certificate"] ?? "", key: call.request.form["key"] ?? "",
            replaceTopic: call.request.form["replaceTopic"] == "yes" ? true : nil)
        // One that somebody uploaded meanwhile is not replaced unseen.
        let condition = shown(try await credential(call), tag: nil).condition(shownBy: call.request.form)
        do {
            try await call.door.send("PUT", RequestPath.text(path), request, ifMatch: condition)
            return .seeOther(path, .saved)
        } catch let refusal as AdminRefused where [400, 412, 413, 422].contains(refusal.status) {
            return try await show(call, refusal: refusal)
        }
    }

    private static func remove(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let place = RequestPath.text(path)
        do {
            try await call.door.remove(place, shownBy: call.request.form) {
                let present = try await call.door.present(place, as: PushCredential.self)
                return shown(present?.value, tag: present?.entityTag)
            }
            return .seeOther(path, .removed)
        } catch let refusal as AdminRefused where refusal.status == 412 {
            return try await show(call, refusal: refusal)
        }
    }

    /// What the removal is held to: how many devices it wakes changes by itself.
    private static func shown(_ credential: PushCredential?, tag: String?) -> FormEdit {
        func text(_ moment: Date?) -> String { moment.map { AdminJSON.text(of: $0) } ?? "" }
        return FormEdit(
            [(name: "topic", label: "Topic"), (name: "expires", label: "Ends"), (name: "uploaded", label: "Uploaded")],
            of: [
                "topic": credential?.topic ?? "", "expires": text(credential?.expires),
                "uploaded": text(credential?.uploaded),
            ], tag: tag)
    }
}
