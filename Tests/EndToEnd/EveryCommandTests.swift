import Foundation
import Testing

/// Every command of `martlet`, as a program calls it: what it prints is JSON, and its status says how it went.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(10)))
struct EveryCommandTests {
    /// A command as it is typed in a shell, in the directory of the road.
    private struct Line {
        let text: String
        var status: Int32 = 0
        /// What is typed in before it.
        var input: String?
        /// A variable of the shell, and the member of what is printed that it gets.
        var learns: (variable: String, member: String)?

        init(
            _ text: String, status: Int32 = 0, input: String? = nil, learns: (variable: String, member: String)? = nil
        ) {
            (self.text, self.status, self.input, self.learns) = (text, status, input, learns)
        }
    }

    /// They have --json and are walked elsewhere: one waits for edits, one for feedback, one needs an app that runs.
    private static let elsewhere = ["dev", "configuration try", "feedback follow"]

    private static let landmarks = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Examples/Landmarks/specification.json").standardizedFileURL.path

    private static func lines(_ road: Road) -> [Line] {
        let app = Road.app
        let value = #"{"managedCollection": {"title": "two", "landmarks": [1001]}}"#
        return [
            Line("whoami"), Line("overview"), Line("health"), Line("apple-devices"),
            Line("administrator create anna --role reader"), Line("administrator set anna --role auditor"),
            Line("administrator list"), Line("administrator show anna"), Line("administrator reset-password anna"),
            Line("administrator remove anna"),
            Line("token create builds --role reader --valid 1h", learns: ("TOKEN", "summary.id")), Line("token list"),
            Line("token revoke $TOKEN"),
            Line("group create others"), Line("group list"), Line("group show others"),
            Line("group rule preview 'os = linux'"), Line("group rule set others 'os = ios'"),
            Line("group rule remove others"),
            Line("group add-devices others --file devices.txt"),
            Line("group command others ProfileList --per-second 9 --wait \(Road.longest)"),
            Line("app list"), Line("app create com.example.other"), Line("app show \(app)"),
            Line("app delete com.example.other"), Line("app refusals \(app)"), Line("app check-updates \(app)"),
            Line("app source set \(app) --platform linux --installed"), Line("app source list \(app)"),
            Line("app source show \(app) --platform linux --origin installed"),
            Line("app source remove \(app) --platform linux --origin installed"),
            Line("app specification set \(app) \(landmarks)", learns: ("VERSION", "version")),
            Line("app specification list \(app)"), Line("app specification remove \(app) $VERSION"),
            Line("app build build-1.0/Viewer.app -o viewer.tar.zst"),
            Line("app sign viewer.tar.zst --certificate team.pem --key team.key"),
            Line("app verify viewer.tar.zst --trust team.pem"), Line("app inspect viewer.tar.zst"),
            Line("app manifest viewer.tar.zst --url https://example.org/viewer.tar.zst -o manifest.plist"),
            Line("app package upload viewer.tar.zst", learns: ("PACKAGE", "sha256")),
            Line("app package list com.example.viewer"), Line("app package show com.example.viewer $PACKAGE"),
            // The device knows whose packages it may install.
            Line("device wait $DEVICE --synchronised --timeout \(Road.longest)"),
            Line("device app install $DEVICE com.example.viewer --wait \(Road.longest)"),
            Line("device app configure $DEVICE com.example.viewer value.json --wait \(Road.longest)"),
            Line("device app list $DEVICE --wait \(Road.longest)"),
            Line("device app feedback $DEVICE com.example.viewer --wait \(Road.longest)"),
            Line("device app remove $DEVICE com.example.viewer --wait \(Road.longest)"),
            Line("app source remove com.example.viewer --platform linux --origin package"),
            Line("app package remove com.example.viewer $PACKAGE"),
            Line("configuration set \(app) main --file value.json"), Line("configuration list \(app)"),
            Line("configuration set \(app) main --file - --if-version 1", input: value),
            Line("configuration show \(app) main"),
            Line("configuration diff \(app) main"), Line("configuration diff \(app) main --file value.json --values"),
            Line("configuration history \(app) main"), Line("configuration adoption \(app) main"),
            Line("configuration revert \(app) main --to 1 --if-version 2"),
            Line("assign teachers \(app) --configuration main --lowest-trust shared --if-none"),
            Line("assignment list"), Line("assignment show teachers \(app)"),
            Line("app migrate \(app)"),
            Line("setting kinds"), Line("setting set root-certificate own root.pem --dry-run"),
            Line("setting set root-certificate own root.pem --if-version 0"), Line("setting list"),
            Line("setting show root-certificate own"), Line("setting history root-certificate own"),
            Line("setting assign teachers root-certificate own --if-none"),
            Line("setting assignments --group teachers"),
            Line("setting remove root-certificate own", status: 4),
            Line("setting unassign teachers root-certificate own"),
            Line("setting remove root-certificate own --if-version 1"),
            Line("setting set login-message hall --text Hello"), Line("setting remove login-message hall"),
            Line("secret set wifi --password-stdin", input: "secret\n"), Line("secret set-values wifi values.csv"),
            Line("secret list"), Line("secret show wifi"), Line("secret history wifi"),
            Line("secret assign teachers \(app) --identifier wifi --secret wifi --if-none"),
            Line("secret assigned teachers \(app) --identifier wifi"),
            Line("secret unassign teachers \(app) --identifier wifi"), Line("secret delete wifi --if-version 2"),
            Line("device wait $DEVICE --synchronised --timeout \(Road.longest)"), Line("device list"),
            Line("device list --state enrolled --refusing --not-seen-for 1d"),
            Line("device show id:$DEVICE"), Line("device show serial:nobody", status: 3),
            Line("device explain $DEVICE"), Line("device query $DEVICE --wait \(Road.longest)"),
            Line("device apps $DEVICE --wait \(Road.longest)"),
            Line("feedback fetch $DEVICE"), Line("feedback show \(app)"),
            Line("feedback show \(app) --key failureCount --since-version 1"),
            Line("feedback trend \(app) failureCount --by hour"),
            Line("feedback metric add \(app) failureCount"), Line("feedback metric list \(app)"),
            Line("feedback metric list"),
            Line("feedback metric remove \(app) failureCount"),
            Line("device command $DEVICE ProfileList"), Line("device commands $DEVICE"),
            // Nobody is there to be asked, and an agent that is not the machine's own refuses.
            Line("device restart $DEVICE", status: 1),
            Line("device restart $DEVICE --yes --wait \(Road.longest)", status: 1),
            Line("device shut-down $DEVICE --yes --wait \(Road.longest)", status: 1),
            Line("device cancel $DEVICE 00000000-0000-0000-0000-000000000000", status: 3),
            Line("device status $DEVICE"), Line("device history $DEVICE"), Line("device group add $DEVICE others"),
            Line("device group remove $DEVICE others"),
            Line("person set anna --email anna@example.com"), Line("person import people.csv"), Line("person list"),
            Line("person show anna"), Line("device person set $DEVICE anna"), Line("device person remove $DEVICE"),
            Line("device attributes set $DEVICE location=Lobby"), Line("device attributes show $DEVICE"),
            Line("device attributes remove $DEVICE location"),
            Line("device attributes import attributes.csv --dry-run"),
            Line("person invite anna --group teachers"), Line("person invitations"), Line("person uninvite anna"),
            Line("person delete anna"),
            Line("device sign-out $DEVICE", status: 4), Line("device release $DEVICE"),
            Line("device expect SN-1 --group teachers --trust-serial-number --if-none"),
            Line("device expect-all expected.txt --group teachers --trust-serial-number"), Line("device expected"),
            Line("device unexpect SN-1"),
            Line("device invite \(app) --like teachers -o $LETTER"),
            Line("device invitations", learns: ("INVITATION", "0.invitation")), Line("device uninvite $INVITATION"),
            Line("team list", learns: ("TEAM", "0.fingerprint")), Line("team remove $TEAM"), Line("team add team.pem"),
            Line("enrollment-code create --group teachers", learns: ("CODE", "id")), Line("enrollment-code list"),
            Line("enrollment-code revoke $CODE"),
            Line("audit list"), Line("audit verify"), Line("watch --once --after none"),
            Line("webhook add tickets --url https://webhooks.invalid/a"), Line("webhook list"),
            Line("webhook show tickets"), Line("webhook set tickets --disable"), Line("webhook rotate tickets"),
            Line("webhook redeliver tickets 1 --wait 0s"), Line("webhook test tickets --wait 0s"),
            Line("webhook test tickets --wait \(Road.longest)", status: 1),
            Line("webhook remove tickets", status: 1), Line("webhook remove tickets --yes"),
            Line(
                "push-credential set --key push.key --key-id ABCDE12345 --team-id FGHIJ67890 "
                    + "--topic com.apple.mgmt.External.test"),
            Line("push-credential show"), Line("push-credential remove"),
            Line("job list", learns: ("JOB", "0.id")), Line("job show $JOB"), Line("job cancel $JOB"),
            Line("spec lint \(landmarks)"), Line("spec validate \(landmarks) value.json"),
            Line("spec diff \(landmarks) \(landmarks)"), Line("spec example \(landmarks)"),
            Line("export $FOLDER"), Line("apply -f fleet --dry-run"),
            Line("unassign teachers \(app)"), Line("configuration delete \(app) main"),
            Line("device withdraw $DEVICE", status: 1), Line("device withdraw $DEVICE --yes"),
            Line("group delete others"),
            Line(
                "password --password-stdin", input: "\(road.password)\nanother long password\n"),
            Line("logout"),
            Line(
                "login --server \(road.url) --ca-file '\(road.authority)' --name admin --password-stdin",
                input: "another long password\n"),
        ]
    }

    /// Without a session: these ask no server, or are how one gets a session.
    private static let needNoSession: Set<String> = [
        "login", "logout", "app build", "app sign", "app verify", "app inspect", "app manifest", "spec lint",
        "spec validate", "spec diff", "spec example",
    ]

    @Test func everyCommandPrintsJSONForProgramsAndSaysByItsStatusHowItWent() async throws {
        try await Road.with { road in
            let leaves = try await leaves(road)
            let developer = try await Developer.on(road)
            try developer.layOut(
                road.home.appending(path: "build-1.0/Viewer.app"), version: "1.0", identifier: "com.example.viewer")
            try await road.enroll()
            try await road.shell(
                """
                printf '%s\\n' \(road.udid) > devices.txt; printf 'userName,email\\nben,ben@example.com\\n' > people.csv
                printf 'device,location\\n%s,Attic\\n' \(road.udid) > attributes.csv
                printf 'SN-2\\nSN-3\\n' > expected.txt; printf 'serialNumber,password\\nS1,own\\n' > values.csv
                printf '{"managedCollection": {"title": "one", "landmarks": [1001]}}' > value.json
                openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt > push.key
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout root.key -out root.pem \
                    -days 365 -subj '/CN=own root' -addext basicConstraints=critical,CA:TRUE 2> /dev/null
                """)
            var variables = ["DEVICE": road.udid, "FOLDER": "fleet", "LETTER": "invitation.md"]
            var walked: Set<String> = []
            for line in Self.lines(road) {
                let leaf = try #require(
                    leaves.filter { (line.text + " ").hasPrefix($0 + " ") }.max { $0.count < $1.count })
                walked.insert(leaf)
                let (status, out, error) = try await call(line, variables, road)
                #expect(status == line.status, "\(line.text): \(status)\n\(out)\n\(error)")
                guard status == 0 else {
                    expectFailure(error, line.text)
                    continue
                }
                let values = leaf == "watch" ? out.split(separator: "\n").map(String.init) : [out]
                for value in values { #expect(Self.json(value) != nil, "\(line.text): \(value)") }
                if let learns = line.learns {
                    let found: String = try #require(Self.member(learns.member, of: out), "\(line.text): \(out)")
                    variables[learns.variable] = found
                }
            }
            #expect(leaves.subtracting(walked).sorted() == Self.elsewhere.sorted(), "not walked")

            // Nobody is logged in: each says so, by its status and in JSON.
            let gone = "session-that-is-not-there.json"
            variables["FOLDER"] = "another"
            variables["LETTER"] = "another.md"
            for line in Self.lines(road) {
                let leaf = leaves.filter { (line.text + " ").hasPrefix($0 + " ") }.max { $0.count < $1.count } ?? ""
                guard !Self.needNoSession.contains(leaf) else { continue }
                let (status, out, error) = try await call(line, variables, road, session: gone)
                #expect(status == 5 && out.isEmpty, "\(line.text): \(status) \(out)")
                expectFailure(error, line.text)
            }
        }
    }

    private func expectFailure(_ text: String, _ line: String) {
        let failure = text.split(separator: "\n").compactMap { Self.json(String($0)) as? [String: Any] }.last
        let fields = failure?["error"] as? [String: Any]
        #expect(fields?["status"] is String && fields?["reason"] is String, "\(line): \(text)")
    }

    /// Runs a line; what it prints for programs, and what it complains of.
    private func call(
        _ line: Line, _ variables: [String: String], _ road: Road, session: String? = nil
    ) async throws -> (status: Int32, out: String, error: String) {
        try Data((line.input ?? "").utf8).write(to: road.home.appending(path: "input.txt"))
        let settings = variables.map { "\($0)='\($1)'" }.joined(separator: "; ")
        let environment = session.map { "MARTLET_SESSION=\($0) " } ?? ""
        try await road.shell(
            """
            \(settings)
            \(environment)'\(Road.binary("martlet").path)' \(line.text) --json < input.txt > out.txt 2> error.txt
            echo $? > status.txt
            """)
        func read(_ name: String) throws -> String {
            try String(contentsOf: road.home.appending(path: name), encoding: .utf8)
        }
        let status = try read("status.txt").trimmingCharacters(in: .whitespacesAndNewlines)
        return (try #require(Int32(status)), try read("out.txt"), try read("error.txt"))
    }

    /// The commands that are no nouns and have --json.
    private func leaves(_ road: Road) async throws -> Set<String> {
        let dump = try await road.martlet("--experimental-dump-help")
        let document = try JSONSerialization.jsonObject(with: Data(dump.utf8)) as? [String: Any]
        var leaves: Set<String> = []
        func walk(_ command: [String: Any], _ path: [String]) {
            let inner = (command["subcommands"] as? [[String: Any]] ?? []).filter {
                $0["commandName"] as? String != "help"
            }
            let names = (command["arguments"] as? [[String: Any]] ?? [])
                .flatMap { ($0["names"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String } }
            if inner.isEmpty, names.contains("json") { leaves.insert(path.joined(separator: " ")) }
            for one in inner { walk(one, path + [one["commandName"] as? String ?? ""]) }
        }
        walk(try #require(document?["command"] as? [String: Any]), [])
        try #require(leaves.count > 100)
        return leaves
    }

    private static func json(_ text: String) -> Any? {
        try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    }

    /// A member by its path; a number is a place in a list.
    private static func member(_ path: String, of text: String) -> String? {
        path.split(separator: ".").reduce(json(text)) { value, part in
            if let index = Int(part) { return (value as? [Any])?.dropFirst(index).first }
            return (value as? [String: Any])?[String(part)]
        } as? String
    }
}
