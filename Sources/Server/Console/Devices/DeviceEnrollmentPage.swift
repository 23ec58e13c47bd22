import AdminMessages

/// The end of a device's enrollment, and the sign-in of the person by whose account it came.
enum DeviceEnrollmentPage {
    static let routes = [
        ConsoleRoute(.get, "/devices/{device}/enrollment", serve: { call in try await page(call) }),
        ConsoleRoute(.post, "/devices/{device}/enrollment/sign-out", serve: signOut),
        ConsoleRoute(.post, "/devices/{device}/enrollment/withdraw", serve: withdraw),
    ]

    private static func path(_ call: ConsoleCall) -> [String] { ["devices", call.parameter("device")] }

    private static func page(
        _ call: ConsoleCall, refusal: AdminRefused? = nil, isUnconfirmed: Bool = false
    ) async throws -> ConsoleAnswer {
        let device: DeviceDetail = try await call.door.get(RequestPath.text(path(call)))
        let ended: HTML? =
            device.isServed
            ? nil : EmptyState.html("The enrollment has ended", "The device comes back by being enrolled anew.")
        let access: HTML? =
            device.isServed && call.may(.help)
            ? device.signIn.map { Panel.html("Its person", signingOut($0, call)) } : nil
        let end: HTML? =
            device.isServed && call.may(.manage)
            ? Panel.html("The end of its enrollment", withdrawal(device, isUnconfirmed, call)) : nil
        return call.page(
            "Enrollment of \(device.name ?? device.id)", in: .devices, trail: DeviceActions.trail(device),
            aside: device.badge.html,
            status: refusal?.status ?? (isUnconfirmed ? 422 : 200),
            """
            \(refusal.map { ProblemPage.alert($0.problem) })
            \(Facts.html([
                ("Identifier", Code.html(device.id)), ("Person", device.person.map { "\($0)" }),
                ("Enrolled", device.enrolled.map { Moment.html($0, now: call.request.now) }),
            ]))
            \(ended)\(access)\(end)
            """)
    }

    private static func signingOut(_ signIn: DeviceSignIn, _ call: ConsoleCall) -> HTML {
        let state = signIn.needed ? Badge(.warn, "Has to sign in again") : Badge(.good, "Signed in")
        let form = call.form(
            to: ConsolePath.text(path(call) + ["enrollment", "sign-out"]),
            """
            <p>Until the person has signed in again, the device gets nothing new. It keeps what it has, and its apps go on.</p>
            <button class="plain">Have them sign in again</button>
            """)
        return """
            \(Facts.html([("State", state.html), ("Since", Moment.html(signIn.since, now: call.request.now))]))
            \(signIn.needed ? HTML.empty : form)
            """
    }

    /// What a withdrawal is held to: that it is the enrollment that the page showed.
    ///
    /// A device's tag moves with each of its contacts.
    private static func shown(_ device: DeviceDetail) -> FormEdit {
        let since = device.enrolled.map { AdminJSON.text(of: $0) } ?? ""
        return FormEdit([(name: "enrolled", label: "Enrolled")], of: ["enrolled": since], tag: nil)
    }

    private static func withdrawal(_ device: DeviceDetail, _ isUnconfirmed: Bool, _ call: ConsoleCall) -> HTML {
        call.form(
            to: ConsolePath.text(path(call) + ["enrollment", "withdraw"]),
            """
            \(shown(device).hidden)\
            <p>At its next contact the server answers that it does not recognize the device. The device then removes: its \
            configurations, its secrets and the apps that were installed for it. Its certificate is revoked at once.</p>
            \(Confirmation.box("There is no way back but a new enrollment: I know", isMissing: isUnconfirmed))
            <button class="danger">Withdraw its enrollment</button>
            """)
    }

    // MARK: Changes

    private static func signOut(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        do {
            try await call.door.send("POST", RequestPath.text(path(call) + ["sign-out"]))
            return .seeOther(path(call) + ["enrollment"], .saved)
        } catch let refusal as AdminRefused where [409, 422].contains(refusal.status) {
            return try await page(call, refusal: refusal)
        }
    }

    private static func withdraw(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        guard Confirmation.isGiven(in: call) else { return try await page(call, isUnconfirmed: true) }
        let place = RequestPath.text(path(call))
        let device: DeviceDetail = try await call.door.get(place)
        do {
            try await call.door.send("DELETE", place, ifMatch: shown(device).condition(shownBy: call.request.form))
            return .seeOther(path(call), .saved)
        } catch let refusal as AdminRefused where refusal.status == 412 {
            return try await page(call, refusal: refusal)
        }
    }
}
