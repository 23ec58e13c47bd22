import Management
import Testing

/// What it takes to have events sent to a webhook.
struct WebhookRightsTests {
    private static let cases: [(Set<Permission>, Bool, Bool)] = [
        ([.manage], true, false), ([.lookInside], false, false), ([.manage, .lookInside], true, true),
        ([], false, false),
    ]

    /// Red if an administrator who may manage webhooks, but not look inside apps, can have feedback sent.
    ///
    /// No role of today has the one right without the other: the rule is asked with each set of rights.
    @Test(arguments: cases)
    func feedbackTakesBothRights(rights: Set<Permission>, actions: Bool, feedback: Bool) {
        func maySend(_ events: [String]) -> Bool {
            WebhookEvents.needed(toSend: events).allSatisfy(rights.contains)
        }
        #expect(maySend(["*"]) == actions && maySend(["secret.*", "app.remove"]) == actions)
        #expect(maySend([WebhookEvents.feedback]) == feedback && maySend(["*", WebhookEvents.feedback]) == feedback)
    }

    /// A role that reads the feedback of one app alone, or of all and manages nothing, cannot have it sent.
    @Test func noOtherRoleThanAdministratorsHasFeedbackSent() {
        for role in Role.allCases {
            let rights = Rights(role: role, apps: role == .appOwner ? ["com.example.app"] : [])
            let may = WebhookEvents.needed(toSend: [WebhookEvents.feedback])
                .allSatisfy { rights.allow($0, app: nil, group: nil) }
            #expect(may == (role == .administrator), "\(role)")
        }
        let token = Rights.all.forToken(isReadOnly: true, administers: false, of: .all)
        #expect(token.allow(.lookInside, app: nil, group: nil) && !token.allow(.manage, app: nil, group: nil))
    }
}
