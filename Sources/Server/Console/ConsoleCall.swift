import AdminMessages
import Foundation

/// A request on its way to a page, with the door to the API and who asks.
struct ConsoleCall: Sendable {
    let request: ConsoleRequest
    let parameters: [String: String]
    let door: any AdminDoor
    let session: SessionDetail

    /// What stands in the place of a parameter in the path.
    func parameter(_ name: String) -> String { parameters[name] ?? "" }

    /// A parameter of the query, unless it is empty: filters that are left alone are sent, too.
    func query(_ name: String) -> String? {
        request.query[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether the person may do something, with an app or a group where it is about one.
    ///
    /// Only for leaving out what would be refused: the API judges.
    func may(_ permission: AdministratorPermission, app: String? = nil, group: String? = nil) -> Bool {
        guard session.permissions.contains(permission) else { return false }
        guard session.role == .appOwner, permission != .look else { return true }
        return app.map { session.apps?.contains($0) == true } ?? true
            && group.map { session.groups?.contains($0) == true } ?? true
    }

    /// A form that changes something: it is sent by POST and carries what proves that it is ours.
    ///
    /// After the change answer `.seeOther` with a `Flash`, never with a page: so reloading does not do it again.
    func form(to action: String, _ content: HTML) -> HTML {
        """
        <form class="form" method="post" action="\(action)">
        <input type="hidden" name="\(Form.tokenName)" value="\(request.formToken ?? "")">
        \(content)
        </form>
        """
    }
}

/// Addresses of pages.
enum ConsolePath {
    /// The address of the page whose path has these parts, each escaped: `text(["apps", app], query: [("cursor", next)])`.
    static func text(_ parts: [String], query: [(String, String)] = []) -> String {
        ConsolePages.root + RequestPath.text(parts, query: query)
    }
}

/// The parts of the console, in the order of the navigation; one without a page is not shown.
enum ConsoleSection: String, CaseIterable, Sendable {
    case overview
    case apps
    case devices
    case groups
    case settings
    case people
    case secrets
    case enrollment
    case activity
    case webhooks
    case jobs
    case administrators
    case health

    var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

    /// The path of its first page.
    var path: [String] { self == .overview ? [] : [rawValue] }

    /// What somebody must be allowed for it to be shown.
    var permission: AdministratorPermission {
        switch self {
        case .overview, .apps, .devices, .groups, .people, .enrollment, .jobs, .health: .look
        case .settings, .secrets: .lookInside
        case .activity, .webhooks, .administrators: .audit
        }
    }
}

/// A sentence that the page after a change shows once; the set is fixed, because any link can choose one.
///
/// Add a case for each kind of change.
enum Flash: String, CaseIterable, Sendable {
    case saved
    case added
    case removed
    case onItsWay = "on-its-way"
    case queued
    case begun
    case ended
    case passwordChanged = "password-changed"
    case signedOutElsewhere = "signed-out-elsewhere"
    case signedOut = "signed-out"

    static let parameter = "done"

    var sentence: String {
        switch self {
        case .saved: "Saved."
        case .added: "Added."
        case .removed: "Removed."
        case .onItsWay: "It is on its way. The deliveries say what came of it."
        case .queued: "It waits for the device, which is being woken. This page says what comes of it."
        case .begun: "It has begun, and goes on without this page."
        case .ended: "It goes no further. What it has done stays."
        case .passwordChanged: "The password is changed. Every other session of yours has ended."
        case .signedOutElsewhere: "Every other session of yours has ended."
        case .signedOut: "You are signed out."
        }
    }
}

extension ConsoleAnswer {
    /// After a change: the page that shows what came of it, with a sentence.
    static func seeOther(_ parts: [String], _ flash: Flash? = nil) -> ConsoleAnswer {
        .seeOther(ConsolePath.text(parts, query: flash.map { [(Flash.parameter, $0.rawValue)] } ?? []))
    }
}
