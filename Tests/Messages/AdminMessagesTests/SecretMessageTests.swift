import AdminMessages
import Foundation
import Testing

/// The messages about secrets, letter by letter, and that no text is made of a value.
struct SecretMessageTests {
    private let moment = Date(timeIntervalSince1970: 1_795_000_000.25)

    private func expect<Value: Codable & Equatable>(
        _ value: Value, _ json: String, location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(String(decoding: try AdminJSON.encode(value), as: UTF8.self) == json, sourceLocation: location)
        #expect(try AdminJSON.decode(Value.self, from: Data(json.utf8)) == value, sourceLocation: location)
    }

    @Test func theOneMemberOfARequestNamesTheKind() throws {
        try expect(
            SecretRequest.password(PasswordSecret(userName: "u", password: "p")),
            #"{"password":{"password":"p","userName":"u"}}"#)
        try expect(
            SecretRequest.certificate(CertificateSecret(file: Data([0, 1, 2]))), #"{"certificate":{"file":"AAEC"}}"#)
        try expect(
            SecretRequest.pkcs12(PKCS12Secret(file: Data([0, 1, 2]), password: "p")),
            #"{"pkcs12":{"file":"AAEC","password":"p"}}"#)
        try expect(
            SecretRequest.scep(
                SCEPSecret(
                    url: "https://ca/scep", challenge: "c", subject: [["CN", "d"], ["O", "e"]], keySize: 4_096)),
            #"{"scep":{"challenge":"c","keySize":4096,"subject":[["CN","d"],["O","e"]],"url":"https://ca/scep"}}"#)
        try expect(
            SecretRequest.acme(
                ACMESecret(
                    directoryURL: "https://ca/d", subject: [["CN", "d"]], subjectAltName: SubjectAltName(dns: "h"),
                    keyType: "EC", keySize: 384, hardwareBound: true, attest: true)),
            #"{"acme":{"attest":true,"directoryURL":"https://ca/d","hardwareBound":true,"keySize":384,"#
                + #""keyType":"EC","subject":[["CN","d"]],"subjectAltName":{"dns":"h"}}}"#)
    }

    @Test(arguments: ["{}", #"{"passwort":{}}"#, #"{"certificate":{"file":""},"password":{"password":"p"}}"#])
    func aRequestOfNoKindOrOfTwoIsRefused(json: String) {
        #expect(throws: MessageRefusal.self) { try AdminJSON.decode(SecretRequest.self, from: Data(json.utf8)) }
    }

    @Test func secretsAndWhereTheyAreFound() throws {
        try expect(
            Secret(
                name: "root", kind: .certificate, version: 2, created: moment, author: "admin",
                facts: SecretFacts(fingerprint: "ab", subject: "CN=Root", expires: moment)),
            #"{"author":"admin","created":"2026-11-18T11:06:40.250Z","facts":{"expires":"2026-11-18T11:06:40.250Z","#
                + #""fingerprint":"ab","subject":"CN=Root"},"kind":"certificate","name":"root","version":2}"#)
        try expect(
            SecretVersion(version: 1, created: moment, facts: SecretFacts(hasUserName: true)),
            #"{"created":"2026-11-18T11:06:40.250Z","facts":{"hasUserName":true},"version":1}"#)
        try expect(
            SecretAssignment(
                group: "g", app: "a", extension: "a.b", kind: .identity, identifier: "vpn", secret: "client"),
            #"{"app":"a","extension":"a.b","group":"g","identifier":"vpn","kind":"identity","secret":"client"}"#)
        try expect(SecretAssignmentRequest(secret: "client"), #"{"secret":"client"}"#)
    }

    @Test func whoDidWhatToWhat() throws {
        try expect(
            AuditEntry(
                sequence: 1, time: moment, actor: "administrator:admin", action: "secret.set", subject: "wifi",
                details: .object(["version": .integer(1)]), hash: "ab"),
            #"{"action":"secret.set","actor":"administrator:admin","details":{"version":1},"hash":"ab","sequence":1,"#
                + #""subject":"wifi","time":"2026-11-18T11:06:40.250Z"}"#)
        try expect(
            AuditVerification(intact: false, entries: 1, head: "ab", brokenAt: 2),
            #"{"brokenAt":2,"entries":1,"first":1,"head":"ab","intact":false}"#)
    }

    /// Error texts, log lines and dumps are made of descriptions: none of them may hold a value.
    @Test func noTextIsMadeOfAValue() {
        let planted = "planted-value"
        let values: [any Sendable] = [
            SecretRequest.password(PasswordSecret(userName: planted, password: planted)),
            SecretRequest.pkcs12(PKCS12Secret(file: Data(planted.utf8), password: planted)),
            SecretRequest.scep(SCEPSecret(challenge: planted, subject: [["CN", planted]])),
            PasswordSecret(password: planted), PKCS12Secret(file: Data(), password: planted),
            SCEPSecret(challenge: planted, subject: []),
        ]
        for value in values {
            var dumped = ""
            dump([value], to: &dumped)
            for text in ["\(value)", String(reflecting: value), "\([value])", dumped] {
                #expect(!text.contains(planted))
            }
        }
    }

    @Test(arguments: [
        (SecretKind.password, "password"), (.certificate, "certificate"), (.pkcs12, "identity"), (.scep, "identity"),
        (.acme, "identity"),
    ])
    func anAppIsGivenEachKindAsOneOfThree(kind: SecretKind, asked: String) {
        #expect(AppSecretKind(of: kind)?.rawValue == asked)
        #expect(AppSecretKind(of: SecretKind(rawValue: "later")) == nil)
    }
}
