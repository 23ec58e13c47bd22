import AdminMessages
import Foundation
import InputBounds
import TestInputs
import Testing

/// Bodies of the administrator's API, damaged: refused, or read so that they are written and read the same again.
struct AdminBodyFuzzTests {
    private static let bodies = [
        #"{"name":"admin","password":"p"}"#, #"{"new":"b","old":"a"}"#, #"{"name":"teachers","deviceCount":3}"#,
        #"{"bundleIdentifier":"com.example.a","name":"A","teamIdentifier":"T"}"#,
        #"{"app":"a","configuration":"default","group":"g"}"#, #"{"version":1}"#,
        #"{"group":"g","ownership":"personal","supervised":false,"validSeconds":60,"allowLegacyCryptography":true}"#,
        #"{"password":{"userName":"u","password":"p"}}"#, #"{"pkcs12":{"file":"AAEC","password":"p"}}"#,
        #"{"scep":{"url":"https://ca/scep","challenge":"c","subject":[["CN","d"]],"subjectAltName":{"dns":"h"}}}"#,
        #"{"secret":"wifi"}"#, #"{"fullName":"Anna","email":"a@b","locale":"de_CH"}"#, #"{"userName":"anna"}"#,
        #"{"requestType":"DeviceInformation","parameters":{"Queries":["OSVersion",1,-2.5e3,null,{"a":[]}]}}"#,
    ].map { Data($0.utf8) }

    private static let tokens = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u0000", "\\ud800", "null", "true", "-", "1e999",
        "9223372036854775808",
        "18446744073709551616", "0.1", "\u{FEFF}", "é", "\u{0}", "\"group\":", "\"\":",
    ]

    @Test func whatABodyIsReadAsIsWrittenAndReadAgain() throws {
        var random = SplitMix64(seed: Mutation.seed &+ 31)
        var read = 0
        for _ in 0..<Mutation.iterations {
            let body = Self.bodies[Int.random(in: 0..<Self.bodies.count, using: &random)]
            let data = Mutation.mutate(body, with: Self.bodies, tokens: Self.tokens, using: &random)
            // As at the entrance: bounds first, then the decoder.
            guard (try? JSONScan.check(data, limits: .message)) != nil else { continue }
            let kinds = try [
                Self.survives(SessionRequest.self, data), Self.survives(PasswordChange.self, data),
                Self.survives(Group.self, data), Self.survives(App.self, data), Self.survives(Assignment.self, data),
                Self.survives(AssignmentRequest.self, data), Self.survives(RevertRequest.self, data),
                Self.survives(EnrollmentCodeRequest.self, data), Self.survives(CommandRequest.self, data),
                Self.survives(JSON.self, data), Self.survives(SecretRequest.self, data),
                Self.survives(SecretAssignmentRequest.self, data), Self.survives(PersonDetails.self, data),
                Self.survives(DevicePersonRequest.self, data), Self.survives(DeviceAttributes.self, data),
                Self.survives(DeviceAttributesPatch.self, data),
            ]
            if kinds.contains(true) { read += 1 }
        }
        #expect(read > Mutation.iterations / 50, "too few mutations survive to prove anything")
    }

    private static func survives<Value: Codable & Equatable>(_: Value.Type, _ data: Data) throws -> Bool {
        guard let value = try? AdminJSON.decode(Value.self, from: data) else { return false }
        let written = try AdminJSON.encode(value)
        #expect(try AdminJSON.decode(Value.self, from: written) == value, "read: \(data.base64EncodedString())")
        return true
    }
}
