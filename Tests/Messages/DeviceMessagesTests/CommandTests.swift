import DeviceMessages
import Foundation
import InputBounds
import Testing

struct CommandTests {
    private static let uuid = "5a2f0f6e-2f8b-4c57-9d3e-9f7a0a4b1c2d"

    private static func report(_ name: String) throws -> CommandReport {
        try CommandReport(parsing: Golden.data(name))
    }

    @Test(
        arguments: [
            ("idle.plist", CommandStatus.idle, nil), ("not-now.plist", .notNow, uuid),
            ("command-error.plist", .error, uuid),
            ("device-information-result.plist", .acknowledged, uuid),
        ] as [(String, CommandStatus, String?)])
    func readsEachStatus(name: String, status: CommandStatus, uuid: String?) throws {
        let report = try Self.report(name)
        #expect(report.status == status)
        #expect(report.commandUUID == uuid)
        #expect(report.identifier == EnrollmentIdentifier(kind: .device, id: Golden.iPhone))
        #expect(try CommandReport(parsing: report.encoded()) == report)
    }

    @Test func keepsTheResultsTypesAndLeavesTheEnvelopeOut() throws {
        let contents = try Self.report("device-information-result.plist").contents
        #expect(contents.dictionary?.keys.sorted() == ["QueryResponses"])
        let responses = try #require(contents["QueryResponses"])
        #expect(responses["BatteryLevel"] == .real(0.85))
        #expect(responses["DeviceCapacity"] == .real(128))
        #expect(responses["MaximumResidentUsers"] == .integer(1))
        #expect(responses["IsSupervised"] == .boolean(true))
    }

    @Test func readsTheErrorChain() throws {
        let chain = try Self.report("command-error.plist").errorChain
        #expect(
            chain == [
                ErrorChainItem(
                    code: 12021, domain: "MCMDMErrorDomain", localizedDescription: "Der Befehl ist ungültig.",
                    englishDescription: "“X” is not a valid request type.")
            ])
    }

    @Test(arguments: ["Done", "idle", ""])
    func refusesAnUnknownStatus(status: String) {
        let list = PropertyListValue.dictionary(["UDID": .string("a"), "Status": .string(status)])
        #expect(throws: InputRefusal(rule: "the status of the command is unknown")) {
            try CommandReport(parsing: list.xml())
        }
    }

    /// Red while one value that cannot be read made the device repeat its answer forever.
    @Test(arguments: [
        "<key>X</key><date>2147483647-07-28T00:00:00Z</date>", "<key>X</key><true/><key>X</key><true/>",
        "<key>ErrorChain</key><array><dict><key>ErrorCode</key><string>12</string></dict></array>",
        "<key>ErrorChain</key><string>none</string>", "<key>X</key><integer>99999999999999999999999</integer>",
        "<key>X</key><data>not Base64!</data>", "<key>X</key><foo/>", "<key></key>",
    ])
    func readsWhoAnswersWhateverElseTheAnswerHolds(other: String) throws {
        let data = Data(
            """
            <plist version="1.0"><dict><key>CommandUUID</key><string>c</string>\(other)<key>Status</key>
            <string>Acknowledged</string><key>UDID</key><string>u</string></dict></plist>
            """.utf8)
        let report = try CommandReport(parsing: data)
        #expect(report.identifier.id == "u" && report.commandUUID == "c" && report.status == .acknowledged)
        #expect(!report.oddities.isEmpty)
        #expect(report.encoded() == data, "it is kept as it came")
        #expect(try CommandReport(parsing: report.encoded()) == report)
    }

    @Test func readsAnErrorCodeThatIsAText() throws {
        let link = PropertyListValue.dictionary(["ErrorCode": .string("12"), "ErrorDomain": .string("D")])
        let list = PropertyListValue.dictionary([
            "UDID": .string("a"), "Status": .string("Error"), "CommandUUID": .string("c"),
            "ErrorChain": .array([.string("odd"), link]),
        ])
        let report = try CommandReport(parsing: list.xml())
        #expect(report.errorChain == [ErrorChainItem(code: 12, domain: "D", localizedDescription: "")])
        #expect(report.oddities.first.map(\.place) == ["ErrorChain[0]", "ErrorChain[1].ErrorCode"])
    }

    @Test func anAnswerOfAnUnknownStatusIsAnError() throws {
        let list = PropertyListValue.dictionary([
            "UDID": .string("a"), "Status": .string("Done"), "CommandUUID": .string("c"),
        ])
        let report = try CommandReport(parsing: list.xml())
        #expect(report.status == .error && report.oddities.first.map(\.place) == ["Status"])
    }

    @Test func refusesAResultWithoutACommand() {
        let list = PropertyListValue.dictionary(["UDID": .string("a"), "Status": .string("Acknowledged")])
        #expect(throws: InputRefusal(rule: "a result names no command")) { try CommandReport(parsing: list.xml()) }
    }

    @Test func writesTheCommandThatStartsASynchronisation() throws {
        let tokens = try TokensResponse(parsing: Golden.data("tokens.json"))
        let command = Command.declarativeManagement(uuid: Self.uuid, tokens: tokens)
        #expect(try Command(parsing: Golden.data("declarative-management-command.plist")) == command)
        #expect(try Command(parsing: command.encoded()) == command)
        #expect(command.request["Data"]?.data == tokens.encoded())
    }

    @Test func refusesACommandWithoutARequestType() {
        #expect(throws: InputRefusal(rule: "the key RequestType is missing")) {
            try Command(uuid: Self.uuid, request: .dictionary([:]))
        }
        #expect(throws: InputRefusal.self) { try Command(uuid: Self.uuid, request: .array([])) }
        #expect(throws: InputRefusal.self) {
            try Command(uuid: "", request: .dictionary(["RequestType": .string("A")]))
        }
    }

    @Test func writesTheReasonForA403() throws {
        let document = DeviceErrorDocument(code: DeviceErrorDocument.unrecognizedDevice, message: "Withdrawn")
        #expect(
            String(decoding: document.encodedJSON(), as: UTF8.self)
                == #"{"code":"com.apple.unrecognized.device","message":"Withdrawn"}"#)
        #expect(try DeviceErrorDocument(parsing: document.encodedJSON()) == document)
    }

    @Test func wakesWithTheMagicAndNothingElse() throws {
        let event = WakeEvent(pushMagic: "M")
        #expect(String(decoding: event.line(), as: UTF8.self) == "{\"mdm\":\"M\"}\n")
        #expect(try WakeEvent(parsing: event.line()) == event)
    }
}
