import AdminMessages
import Foundation
import Testing
import martlet

struct SecretTextTests {
    private let moment = Date(timeIntervalSince1970: 1_795_000_000)

    private func secret(_ facts: SecretFacts, version: Int = 1) -> Secret {
        Secret(name: "client", kind: .acme, version: version, created: moment, author: "admin", facts: facts)
    }

    @Test func showsWhatMayBeShown() {
        let facts = SecretFacts(
            fingerprint: "ab12", subject: "CN=Root", expires: moment, authority: "own", keyType: "EC", keySize: 256,
            hardwareBound: true, attest: true)
        let assignment = SecretAssignment(
            group: "teachers", app: "com.example.a", kind: .identity, identifier: "assets", secret: "client")
        let release = AuditEntry(
            sequence: 9, time: moment, actor: "device:U-1", action: "secret.release", subject: "client",
            details: .object(["version": .integer(3)]), hash: "cd")
        let issued = AuditEntry(
            sequence: 10, time: moment, actor: "device:U-1", action: "identity.issue", subject: "client",
            details: .object([
                "version": .integer(3), "serial": .string("0a1b"), "expires": .integer(1_795_000_000),
            ]), hash: "cd")
        let text = SecretText(secret(facts, version: 3), [assignment], [release], certificates: [issued]).text()
        for line in [
            "secret       client", "kind         acme", "version      3", "by           admin", "subject      CN=Root",
            "expires      2026-11-18T11:06:40Z", "fingerprint  SHA-256 ab12", "authority    this server's own",
            "key          EC 256, bound to hardware, attested",
            "GROUP     APP            EXTENSION  AS        IDENTIFIER  SECRET",
            "teachers  com.example.a  -          identity  assets      client",
            "GIVEN TO    VERSION  AT", "device:U-1  3        2026-11-18T11:06:40Z",
            "CERTIFIED   VERSION  SERIAL  UNTIL", "device:U-1  3        0a1b    2026-11-18T11:06:40Z",
        ] {
            #expect(text.split(separator: "\n").contains { $0 == line }, "\(line) in \(text)")
        }
    }

    @Test func saysWhatToDoWithASecretThatNobodyUses() {
        let text = SecretText(secret(SecretFacts()), [], []).text()
        #expect(text.contains("martlet secret assign <group> <app> --identifier <id> --secret client"))
    }

    @Test func saysThatCertificatesAreStillToBeRevoked() {
        var taken = secret(SecretFacts())
        #expect(!SecretText(taken, [], []).text().contains("revoking"))
        taken.revoking = true
        #expect(SecretText(taken, [], []).text().contains("revoking  certificates of devices"))
    }

    /// Red: after `martlet-server forget-secrets` no view named the secret that has no value.
    @Test func saysOfASecretWithoutValueThatItIsToBeSetAgain() {
        var forgotten = secret(SecretFacts())
        #expect(!SecretText(forgotten, [], []).text().contains("has no value"))
        forgotten.lacksValue = true
        #expect(SecretText(forgotten, [], []).text().contains("has no value: set it again"))
        let list = SecretText.list([forgotten, secret(SecretFacts())]).text().split(separator: "\n")
        #expect(list.map { $0.hasSuffix("has no value: set it again") } == [false, true, false], "\(list)")
        let app = EffectiveApp(
            identifier: "a.b", name: "A", given: true, install: "required",
            secrets: [
                EffectiveSecret(
                    kind: .identity, identifier: "vpn", secret: "client", own: false, group: "g", lacksValue: true)
            ], assignments: [])
        let effective = DeviceEffective(device: "U-1", hypothetical: false, groups: [], apps: [app])
        #expect(EffectiveText(effective).text().contains("the secret client by g; it has no value: set it again"))
    }

    @Test func tellsTheNextStepAfterTheFirstVersionOnly() {
        #expect(SecretText.sentence(about: secret(SecretFacts())).contains("martlet secret assign"))
        let second = SecretText.sentence(about: secret(SecretFacts(expires: moment), version: 2))
        #expect(second == "Version 2 of client, a secret of the kind acme. It ends at 2026-11-18T11:06:40Z.")
    }

    @Test func showsWhoDidWhatToWhat() {
        let entry = AuditEntry(
            sequence: 12, time: moment, actor: "administrator:admin", action: "secret.set", subject: "wifi",
            details: .object(["version": .integer(2), "kind": .string("password")]), hash: "ab")
        #expect(
            AuditText.table([entry]).text()
                == "ENTRY  TIME                  BY                   ACTION      WHAT  DETAILS\n"
                + "12     2026-11-18T11:06:40Z  administrator:admin  secret.set  wifi  kind password, version 2")
    }

    /// Red where a person has to convert seconds to read when a code ends, or when a copy of the store was made.
    @Test(arguments: AuditEntry.moments.sorted()) func aMomentOnRecordIsReadAsADate(name: String) {
        let entry = AuditEntry(
            sequence: 12, time: moment, actor: "administrator:admin", action: "session.open", subject: "admin",
            details: .object([name: .integer(Int64(moment.timeIntervalSince1970))]), hash: "ab")
        #expect(AuditText.table([entry]).text().hasSuffix("\(name) 2026-11-18T11:06:40Z"))
    }

    @Test func eachAssignmentIsListedWithItsOwnSecrets() throws {
        let secret = { (group: String, bundle: String?) in
            SecretAssignment(
                group: group, app: "a", extension: bundle, kind: .password, identifier: "id-\(group)", secret: "s")
        }
        let all = AssignmentWithSecrets.all(
            [Assignment(group: "g", app: "a", configuration: "default"), Assignment(group: "h", app: "a")],
            [secret("g", nil), secret("g", "a.b")])
        #expect(all.map(\.secretsText) == ["id-g, id-g (a.b)", nil])
        #expect(
            String(decoding: try AdminJSON.encode(all[0]), as: UTF8.self)
                == #"{"app":"a","configuration":"default","group":"g","secrets":["#
                + #"{"identifier":"id-g","kind":"password","secret":"s"},"#
                + #"{"extension":"a.b","identifier":"id-g","kind":"password","secret":"s"}]}"#)
    }

    @Test func anAssignmentShowsWhatItsExtensionsGet() throws {
        let assignments = [
            Assignment(group: "g", app: "a.b", configuration: "main", extensions: ["a.b.y": "two", "a.b.x": "one"]),
            Assignment(group: "h", app: "a.b", extensions: ["a.b.x": "one"]), Assignment(group: "i", app: "a.b"),
        ]
        #expect(
            AssignmentWithSecrets.all(assignments, []).map(\.configurationText) == [
                "main, one (a.b.x), two (a.b.y)", "one (a.b.x)", nil,
            ])
        #expect(ExtensionConfiguration(argument: "a.b.x=one")?.bundle == "a.b.x")
        for wrong in ["a.b.x", "=one", "a.b.x=", ""] { #expect(ExtensionConfiguration(argument: wrong) == nil) }
    }
}
