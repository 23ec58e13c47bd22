import Foundation
import Testing

/// The command line tool beside the API: nothing that one can do is missing in the other.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct EveryOperationTests {
    /// By which command each operation of the API is called.
    private static let commands = [
        "logIn": "login", "changePassword": "password", "logOut": "logout", "logOutElsewhere": "logout",
        "showSession": "whoami", "describe": "openapi", "showHealth": "health", "showOverview": "overview",
        "listenToEvents": "watch",
        "listGroups": "group list", "showGroup": "group show", "createGroup": "group create",
        "removeGroup": "group delete",
        "listApps": "app list", "showApp": "app show", "putApp": "app create", "removeApp": "app delete",
        "listAppVersions": "app show", "showAppStates": "app show",
        "listRefusals": "app refusals", "checkForAppUpdates": "app check-updates",
        "listAppSources": "app source list", "showAppSource": "app source show", "putAppSource": "app source set",
        "removeAppSource": "app source remove",
        "listSpecifications": "app specification list", "showSpecification": "app specification show",
        "setSpecification": "app specification set", "removeSpecification": "app specification remove",
        "listPackages": "app package list", "showPackage": "app package show",
        "showPackageUpload": "app package upload", "uploadPackage": "app package upload",
        "acceptPackage": "app package upload", "removePackage": "app package remove",
        "listConfigurations": "configuration list", "showConfiguration": "configuration show",
        "setConfiguration": "configuration set", "removeConfiguration": "configuration delete",
        "listConfigurationVersions": "configuration history", "showConfigurationVersion": "configuration show",
        "showConfigurationAdoption": "configuration adoption",
        "revertConfiguration": "configuration revert", "checkConfiguration": "configuration set",
        "tryConfiguration": "configuration try", "showConfigurationTrial": "configuration try",
        "listAppFeedback": "feedback show", "showFeedbackSummary": "feedback show",
        "listDeviceFeedback": "feedback show", "fetchFeedback": "feedback fetch",
        "showFeedbackTrend": "feedback trend", "showFeedbackMetrics": "feedback metric list",
        "listFeedbackMetrics": "feedback metric list",
        "setFeedbackMetrics": "feedback metric add",
        "listAssignments": "assignment list", "showAssignment": "assignment show", "assign": "apply",
        "changeAssignment": "assign", "unassign": "unassign",
        "listSettingKinds": "setting kinds", "listSettings": "setting list", "showSetting": "setting show",
        "setSetting": "setting set", "removeSetting": "setting remove", "listSettingVersions": "setting history",
        "listSettingAssignments": "setting assignments", "showSettingAssignment": "setting assign",
        "assignSetting": "setting assign", "unassignSetting": "setting unassign",
        "listSecrets": "secret list", "showSecret": "secret show", "setSecret": "secret set",
        "removeSecret": "secret delete", "listSecretVersions": "secret history", "setSecretValues": "secret set-values",
        "listSecretAssignments": "assignment list", "showSecretAssignment": "secret assigned",
        "assignSecret": "secret assign", "unassignSecret": "secret unassign",
        "listTeams": "team list", "addTeam": "team add", "removeTeam": "team remove",
        "listPeople": "person list", "showPerson": "person show", "setPerson": "person set",
        "importPeople": "person import", "removePerson": "person delete", "invitePerson": "person invite",
        "uninvitePerson": "person uninvite", "listInvitations": "person invitations", "showInvitation": "person invite",
        "listEnrollmentCodes": "enrollment-code list", "createEnrollmentCode": "enrollment-code create",
        "revokeEnrollmentCode": "enrollment-code revoke",
        "listExpectedDevices": "device expected", "showExpectedDevice": "device expected",
        "expectDevice": "device expect", "importExpectedDevices": "device expect-all",
        "unexpectDevice": "device unexpect",
        "listDevices": "device list", "showDevice": "device show", "showEffective": "device explain",
        "withdrawDevice": "device withdraw",
        "signOutDevice": "device sign-out", "listDeviceStatus": "device status",
        "listDeviceHistory": "device history",
        "addDeviceToGroup": "device group add", "removeDeviceFromGroup": "device group remove",
        "showDevicePerson": "device person set", "setDevicePerson": "device person set",
        "removeDevicePerson": "device person remove",
        "showDeviceAttributes": "device attributes show", "setDeviceAttributes": "device attributes set",
        "changeDeviceAttributes": "device attributes set", "importDeviceAttributes": "device attributes import",
        "listCommands": "device commands", "showCommand": "device commands", "sendCommand": "device command",
        "removeCommand": "device cancel",
        "listAuditEntries": "audit list", "exportAudit": "audit export",
        "showReference": "openapi",
        "previewGroup": "group rule preview",
        "setGroupRule": "group rule set", "showGroupRule": "group rule set", "removeGroupRule": "group rule remove",
        "createToken": "token create", "listTokens": "token list", "revokeToken": "token revoke",
        "listWebhooks": "webhook list", "showWebhook": "webhook show", "addWebhook": "webhook add",
        "setWebhook": "webhook set", "removeWebhook": "webhook remove", "rotateWebhookSecret": "webhook rotate",
        "listWebhookDeliveries": "webhook show", "redeliverToWebhook": "webhook redeliver",
        "testWebhook": "webhook test",
        "showAppleReadiness": "apple-devices",
        "showPushCredential": "push-credential show", "setPushCredential": "push-credential set",
        "removePushCredential": "push-credential remove", "listJobs": "job list", "showJob": "job show",
        "cancelJob": "job cancel",
        "startAuditVerification": "audit verify", "addDevicesToGroup": "group add-devices",
        "sendCommandToGroup": "group command",
        "listAdministrators": "administrator list", "showAdministrator": "administrator show",
        "createAdministrator": "administrator create", "setAdministrator": "administrator set",
        "removeAdministrator": "administrator remove", "resetPassword": "administrator reset-password",
    ]

    /// What these print is a document, which has a form of its own.
    private static let printDocuments = [
        "openapi", "audit export", "app specification show", "spec render", "spec convert", "spec emit",
    ]

    @Test func eachOperationHasItsCommandAndEachCommandItsJSON() async throws {
        try await Road.with { road in
            let document = try await road.martlet("openapi")
            let described = try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any]
            let paths = try #require(described?["paths"] as? [String: [String: [String: Any]]])
            let operations = Set(paths.values.flatMap { $0.values.compactMap { $0["operationId"] as? String } })
            #expect(operations.subtracting(Self.commands.keys).sorted() == [], "no command calls these")
            #expect(Set(Self.commands.keys).subtracting(operations).sorted() == [], "the API has them no more")

            let leaves = try Self.leaves(of: try await road.martlet("--experimental-dump-help"))
            #expect(leaves.count > 80)
            #expect(Set(Self.commands.values).subtracting(leaves.keys).sorted() == [], "there are no such commands")
            let silent = leaves.filter { !$0.value.contains("json") }.keys.sorted()
            #expect(silent == Self.printDocuments.sorted(), "these have no --json")
        }
    }

    /// What obeys `If-Match` and is asked for without a condition, and why.
    private static let unconditional = [
        "removeCommand", "cancelJob", "withdrawDevice",  // they go on by themselves, with each contact of a device
        "removeWebhook",  // so does a webhook, with each delivery
        "uploadPackage", "acceptPackage", "removePackage",  // a package is called by what it is
        "setDevicePerson", "invitePerson",  // another is not replaced but with --replace
        "removeDevicePerson", "uninvitePerson",  // they name all that they take away
        "setPerson", "setWebhook", "setFeedbackMetrics",  // they hold themselves to what they read and change
        "logOut",  // nobody else has the session
        "assign",  // a file says all of an assignment; `martlet assign` changes what is mentioned
    ]

    /// Whatever the API holds to a condition, the command line can: a change that nobody else's is lost by.
    @Test func eachChangeThatTakesAConditionHasOne() async throws {
        try await Road.with { road in
            let document = try await road.martlet("openapi")
            let described = try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any]
            let paths = try #require(described?["paths"] as? [String: [String: [String: Any]]])
            let conditional = paths.values.flatMap(\.values).compactMap { operation -> String? in
                let parameters = operation["parameters"] as? [[String: Any]] ?? []
                guard parameters.contains(where: { $0["name"] as? String == "If-Match" }) else { return nil }
                return operation["operationId"] as? String
            }
            #expect(conditional.count > 30)
            let leaves = try Self.leaves(of: try await road.martlet("--experimental-dump-help"))
            let conditions: Set<String> = ["if-same", "if-version", "if-rule"]
            let without = conditional.filter { operation in
                Self.commands[operation].flatMap { leaves[$0] }?.isDisjoint(with: conditions) ?? true
            }
            #expect(without.sorted() == Self.unconditional.sorted())
        }
    }

    /// The commands that are no nouns, with the names of their options.
    private static func leaves(of dump: String) throws -> [String: Set<String>] {
        struct Dump: Decodable {
            struct Command: Decodable {
                struct Argument: Decodable {
                    struct Name: Decodable { let name: String }
                    let names: [Name]?
                }
                let commandName: String
                let subcommands: [Command]?
                let arguments: [Argument]?
            }
            let command: Command
        }
        var leaves: [String: Set<String>] = [:]
        func walk(_ command: Dump.Command, _ path: [String]) {
            let inner = (command.subcommands ?? []).filter { $0.commandName != "help" }
            if inner.isEmpty {
                leaves[path.joined(separator: " ")] = Set(
                    (command.arguments ?? []).flatMap { ($0.names ?? []).map(\.name) })
            }
            for one in inner { walk(one, path + [one.commandName]) }
        }
        walk(try JSONDecoder().decode(Dump.self, from: Data(dump.utf8)).command, [])
        return leaves
    }

    /// What is typed is completed by a real bash; zsh and fish get their own words.
    @Test func shellsCompleteWhatIsTyped() async throws {
        try await Road.with { road in
            try await road.shell("mkdir -p fleet/apps; touch value.txt")
            func completed(_ line: String) async throws -> [String] {
                // As bash does when somebody presses the tabulator at the end of the line.
                let script = """
                    source completions.bash
                    shopt -s extglob
                    COMP_LINE='\(line)'; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; COMP_KEY=9
                    read -ra COMP_WORDS <<< "$COMP_LINE"
                    [[ $COMP_LINE == *' ' ]] && COMP_WORDS+=('')
                    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                    compopt() { :; }
                    _martlet martlet "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}" 2>/dev/null
                    printf '%s\\n' "${COMPREPLY[@]}"
                    """
                try Data(script.utf8).write(to: road.home.appending(path: "complete.bash"))
                return try await road.shell("bash complete.bash").split(separator: "\n")
                    .map { $0.trimmingCharacters(in: .whitespaces) }
            }
            let program = Road.binary("martlet").path
            try await road.shell("\(program) --generate-completion-script bash > completions.bash")
            #expect(try await completed("martlet ap") == ["app", "apple-devices", "apply"])
            #expect(try await completed("martlet device cancel --js") == ["--json"])
            #expect(try await completed("martlet apply --dr") == ["--dry-run"])
            #expect(try await completed("martlet apply -f fle") == ["fleet"])
            #expect(try await completed("martlet administrator set anna --role he") == ["help-desk"])
            for shell in ["zsh", "fish"] {
                let script = try await road.martlet("--generate-completion-script", shell)
                #expect(script.contains("apply") && script.contains("dry-run"), "\(shell)")
            }
        }
    }
}
