import AppMessages
import Foundation
import Testing

struct VarlinkReplyTests {
    private func state(_ configuration: Data?) -> ConfigurationState {
        ConfigurationState(
            managed: true, synchronised: true, stale: false, version: "v", configuration: configuration, generation: 7)
    }

    @Test func carriesAStateThereAndBack() throws {
        let bytes = Varlink.reply(state(Data([0, 1, 255])), continues: true)
        let reply = try VarlinkReply<ConfigurationState>(parsing: bytes.dropLast())
        #expect(try reply.result.get() == state(Data([0, 1, 255])))
        #expect(reply.continues)
    }

    @Test func leavesOutWhatIsNotThere() throws {
        let text = String(decoding: Varlink.reply(state(nil)), as: UTF8.self)
        #expect(!text.contains("configuration") && !text.contains("continues"))
        #expect(try VarlinkReply<ConfigurationState>(parsing: Data(text.utf8.dropLast())).result.get() == state(nil))
    }

    /// The largest configuration an administrator may send has room in one message.
    @Test func hasRoomForTheLargestConfiguration() throws {
        let bytes = Varlink.reply(state(Data(repeating: 0xFF, count: 1_048_576)), continues: true)
        var reader = FrameReader(limit: FrameReader.replyLimit)
        reader.append(bytes)
        let message = try #require(try reader.next())
        let reply = try VarlinkReply<ConfigurationState>(parsing: message)
        #expect(try reply.result.get().configuration?.count == 1_048_576)
    }

    @Test func carriesSecretsThereAndBack() throws {
        let identity = IdentityReply(
            certificates: [Data([48, 1]), Data([48, 2])], keyType: .rsa, keySize: 2_048, reference: "r",
            hardwareBound: true, attested: true)
        #expect(try there(identity) == identity)
        #expect(try there(PasswordReply("ü\u{1}\"\\/")) == PasswordReply("ü\u{1}\"\\/"))
        #expect(try there(CertificateReply(Data(0...255))) == CertificateReply(Data(0...255)))
        #expect(try there(SignatureReply(Data(0...255))) == SignatureReply(Data(0...255)))
    }

    @Test(arguments: [
        #"{"certificates":[],"keyType":"EC","keySize":256,"reference":"r","hardwareBound":false,"attested":false}"#,
        #"{"certificates":[""],"keyType":"EC","keySize":256,"reference":"r","hardwareBound":false,"attested":false}"#,
        #"{"certificates":["AA=="],"keyType":"EC","keySize":256,"reference":"","hardwareBound":false,"attested":false}"#,
        #"{"certificates":["AA=="],"keyType":"DH","keySize":256,"reference":"r","hardwareBound":false,"attested":false}"#,
    ])
    func refusesAnIdentityThatNobodyCouldUse(parameters: String) {
        #expect(throws: VarlinkRefusal.notAReply) {
            try VarlinkReply<IdentityReply>(parsing: Data(#"{"parameters":\#(parameters)}"#.utf8))
        }
    }

    private func there<Value: Codable>(_ value: Value) throws -> Value {
        try VarlinkReply<Value>(parsing: Varlink.reply(value).dropLast()).result.get()
    }

    @Test func carriesErrorsByName() throws {
        let reply = try VarlinkReply<Varlink.Nothing>(parsing: Varlink.reply(VarlinkError.invalidIdentifier).dropLast())
        #expect(throws: VarlinkError.invalidIdentifier) { try reply.result.get() }
    }

    @Test func describesEachInterfaceItOffers() throws {
        for interface in AppInterface(version: "1").interfaces {
            #expect(try AppInterface.Description(of: interface).description.contains("interface \(interface)"))
        }
        #expect(throws: VarlinkError.interfaceNotFound("org.example")) {
            try AppInterface.Description(of: "org.example")
        }
    }

    /// A library from before trials reads the rest of what it is told, and another's trial is whole or none.
    @Test func aTrialComesBesideTheState() throws {
        struct Older: Decodable { let managed: Bool }
        func message(_ trial: ConfigurationTrial?) -> Data {
            let state = ConfigurationState(
                managed: true, synchronised: true, stale: false, version: "v", configuration: Data([1]), generation: 2,
                trial: trial)
            return Data(Varlink.reply(state, continues: true).dropLast())
        }
        let trial = ConfigurationTrial(identifier: "t", configuration: Data(0...255), seconds: 60)
        let reply = try VarlinkReply<ConfigurationState>(parsing: message(trial))
        #expect(try reply.result.get().trial == trial)
        #expect(try VarlinkReply<ConfigurationState>(parsing: message(nil)).result.get().trial == nil)
        #expect(try VarlinkReply<Older>(parsing: message(trial)).result.get().managed)
        for (identifier, seconds) in [("", 1), (String(repeating: "t", count: 65), 1), ("t", 0), ("t", 61)] {
            let wrong = ConfigurationTrial(identifier: identifier, configuration: Data(), seconds: seconds)
            #expect(throws: VarlinkRefusal.self) { try VarlinkReply<ConfigurationState>(parsing: message(wrong)) }
        }
    }

    /// The largest configuration and the largest candidate go into one reply.
    @Test func theLargestCandidateFitsBesideTheLargestConfiguration() throws {
        let largest = Data(repeating: 7, count: 1_048_576)
        let state = ConfigurationState(
            managed: true, synchronised: true, stale: false, version: "v", configuration: largest, generation: 2,
            trial: ConfigurationTrial(identifier: "t", configuration: largest, seconds: 1))
        var reader = FrameReader(limit: FrameReader.replyLimit)
        reader.append(Varlink.reply(state))
        let message = try #require(try reader.next())
        #expect(try VarlinkReply<ConfigurationState>(parsing: message).result.get() == state)
    }
}
