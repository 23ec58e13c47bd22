package import AdminMessages

/// The administrator's console: pages for people, made of what the API says and of nothing else.
///
/// It knows no HTTP server and no rules: it is given a request and a door to the API, and answers with markup. To add a
/// page: write an enum with `routes` in `Pages/`, add them to `all`, and build the page with `ConsoleCall.page`. The
/// server has already checked where a form came from, and has bounded it. Only the API checks rights; `ConsoleCall.may`
/// leaves out what would be refused. An `AdminRefused` that a page does not catch becomes a page that says why.
package struct ConsolePages: Sendable {
    /// Below which everything is.
    package static let root = "/console"
    /// The address from which an open page gets changes; the server answers it.
    package static let liveSource = root + "/live"

    static let all: [ConsoleRoute] =
        changing + OverviewPage.routes + AppsPage.routes + AppPage.routes + DevicesPage.routes + DevicePage.routes
        + ActivityPage.routes + AdministratorsPage.routes + HealthPage.routes + AccountPage.routes
        + PushCredentialPage.routes + AppleDevicesPage.routes + looksAfterDevices

    /// Those of the pages that do something with a device.
    private static let looksAfterDevices: [ConsoleRoute] =
        DeviceGroupsPage.routes + GroupDevicesPage.routes + GroupCommandPage.routes + DeviceCommandsPage.routes
        + DeviceAttributesPage.routes + DeviceEnrollmentPage.routes + ExpectedDevicesPage.routes + FeedbackPart.routes

    /// Those of the pages that change what devices get.
    private static let changing: [ConsoleRoute] =
        EditorPage.routes + ConfigurationPage.routes + AppEditPage.routes + AssignmentPage.routes
        + EffectivePage.routes + AppSecretPage.routes + SecretPages.routes + GroupPages.routes + EnrollmentPages.routes
        + GroupRulePage.routes + AppSourcePage.routes + AppPackagePage.routes + TeamsPage.routes + PeoplePages.routes
        + TokensPage.routes + WebhooksPage.routes + JobPages.routes + AppRemovalPage.routes + SpecifiedAppPage.routes
        + SettingPages.routes

    /// The parts of the console that there are, in the order of the navigation.
    static let sections = ConsoleSection.allCases.filter { section in
        all.contains { $0.method == .get && $0.parameters(of: section.path) != nil }
    }

    /// The address of the style sheet, for pages beside the console.
    package static var styleSheet: String { ConsoleFile.styleSheet.address }

    /// The addresses of all pages that are looked at by who is signed in, with their parameters in braces.
    package static var addresses: [String] { all.filter { $0.method == .get }.map { root + $0.path } }

    /// The same of all forms that are sent by who is signed in.
    package static var forms: [String] { all.filter { $0.method == .post }.map { root + $0.path } }

    /// The address of the page that is asked for, as its route was written; nil for one that has no route.
    ///
    /// The log names this and not the path: names of apps, devices and people stand there.
    package static func address(of request: ConsoleRequest) -> String? {
        all.first { $0.method == request.method && $0.parameters(of: request.path) != nil }.map { root + $0.path }
    }

    /// The name of the provider that signs people in, as people read it; nil if there is none.
    let signIn: ForeignSignIn?

    package init(signIn: ForeignSignIn? = nil) {
        self.signIn = signIn
    }

    /// The answer, whatever is asked for.
    package func answer(_ request: ConsoleRequest, through door: any AdminDoor) async throws -> ConsoleAnswer {
        do {
            return try await answerUnlessRefused(request, through: door)
        } catch let refusal as AdminRefused {
            switch (refusal.status, refusal.problem.type) {
            case (401, _): return SignInPage.asked(by: request)
            case (403, "urn:martlet:problem:password-must-change"):
                return .seeOther(ConsolePath.text(["password"]))
            default: return ProblemPage.answer(refusal.problem)
            }
        }
    }

    /// A page that says why a request was refused before it came to a page.
    package static func problem(_ problem: Problem) -> ConsoleAnswer { ProblemPage.answer(problem) }

    private func answerUnlessRefused(
        _ request: ConsoleRequest, through door: any AdminDoor
    ) async throws -> ConsoleAnswer {
        if let file = ConsoleFile.named(request.path), request.method == .get { return file.answer }
        if let answer = try await SignInPage.answer(request, through: door, beside: signIn) { return answer }
        guard request.formToken != nil else { return SignInPage.asked(by: request) }
        if let answer = try await PasswordPage.answer(request, through: door) { return answer }
        for route in Self.all where route.method == request.method {
            guard let parameters = route.parameters(of: request.path) else { continue }
            let call = ConsoleCall(
                request: request, parameters: parameters, door: door, session: try await door.get("/session"))
            do {
                return try await route.serve(call)
            } catch let refusal as AdminRefused where ProblemPage.isShownInPlace(refusal) {
                return ProblemPage.answer(refusal.problem, in: call)
            }
        }
        return ProblemPage.answer(ProblemPage.nothingHere)
    }
}

/// The organization's own sign-in, to which the page leads.
package struct ForeignSignIn: Sendable {
    /// The name of the provider, such as its host.
    let name: String
    /// Where it begins, on this server.
    let path: String

    package init(name: String, path: String) {
        self.name = name
        self.path = path
    }
}

/// A page's place, and what makes it.
struct ConsoleRoute: Sendable {
    let method: ConsoleRequest.Method
    /// As it was written, such as `/apps/{app}`.
    let path: String
    /// Its parts; one in braces takes whatever stands there.
    private let pattern: [Substring]
    let serve: @Sendable (ConsoleCall) async throws -> ConsoleAnswer

    init(
        _ method: ConsoleRequest.Method, _ path: StaticString,
        serve: @escaping @Sendable (ConsoleCall) async throws -> ConsoleAnswer
    ) {
        self.method = method
        self.path = "\(path)"
        pattern = self.path.split(separator: "/")
        self.serve = serve
    }

    /// What stands in the braces, or nothing where the path is another.
    func parameters(of path: [String]) -> [String: String]? {
        guard path.count == pattern.count else { return nil }
        var parameters: [String: String] = [:]
        for (part, expected) in zip(path, pattern) {
            if expected.hasPrefix("{") {
                parameters[String(expected.dropFirst().dropLast())] = part
            } else if part != expected {
                return nil
            }
        }
        return parameters
    }
}
