import AdminMessages

extension AdministratorPermission {
    /// What it lets an administrator do, in words; a permission that the console does not know is shown by its name.
    var title: String {
        switch self {
        case .own: "manage their own sessions and API tokens"
        case .look: "see devices, groups and apps"
        case .lookInside: "see what apps are configured with"
        case .help: "enroll devices and people, and help them"
        case .configure: "configure apps"
        case .assign: "assign apps to groups"
        case .audit: "see who did what"
        case .manage: "manage everything on the server and its devices"
        case .administer: "say what other administrators may do"
        default: rawValue
        }
    }
}
