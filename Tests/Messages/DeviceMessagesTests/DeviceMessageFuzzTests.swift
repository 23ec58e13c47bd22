import DeviceMessages
import Foundation
import InputBounds
import TestInputs
import Testing

struct DeviceMessageFuzzTests {
    private static let tokens = [
        "<dict>", "</dict>", "<array>", "</array>", "<string>", "</string>", "<data>", "</data>", "<true/>",
        "<key>UDID</key>",
        "<key>Status</key><string>Idle</string>", "<integer>9</integer>", ":", "/", "{", "}", "[", "]", ",", "\"",
        "null",
        "declaration/asset/", "https://", "com.apple.", "é", "-1", "1e9",
    ]

    /// Every entrance stands every mutation; what one accepts, it writes so that it reads the same again.
    @Test func whatAnEntranceAcceptsItWritesAndReadsAgain() throws {
        let inputs = try Golden.all()
        var random = SplitMix64(seed: Mutation.seed)
        var accepted = 0
        for _ in 0..<Mutation.iterations {
            let input = inputs[Int.random(in: 0..<inputs.count, using: &random)]
            let data = Mutation.mutate(input, with: inputs, tokens: Self.tokens, using: &random)
            var read = 0
            if let message = try? CheckInMessage(parsing: data) {
                read += 1
                #expect(try CheckInMessage(parsing: message.encoded()) == message)
            }
            if let report = try? CommandReport(parsing: data) {
                read += 1
                #expect(try CommandReport(parsing: report.encoded()).status == report.status)
            }
            if let command = try? Command(parsing: data) {
                read += 1
                #expect(try Command(parsing: command.encoded()).requestType == command.requestType)
            }
            if let profile = try? EnrollmentProfile(parsing: data) {
                read += 1
                #expect(try EnrollmentProfile(parsing: profile.encoded()) == profile)
            }
            if let report = try? StatusReport(parsing: data) {
                read += 1
                _ = try? report.declarations()
                _ = try? report.apps()
                #expect(try StatusReport(parsing: report.encoded()) == report)
            }
            if let items = try? DeclarationItems(parsing: data) {
                read += 1
                #expect(try DeclarationItems(parsing: items.encoded()) == items)
            }
            if let tokens = try? TokensResponse(parsing: data) {
                read += 1
                #expect(try TokensResponse(parsing: tokens.encoded()) == tokens)
            }
            if let declaration = try? Declaration(parsing: data) {
                read += 1
                #expect(try Declaration(parsing: declaration.encoded()) == declaration)
                if let app = try? declaration.read(AppManagedConfiguration.self) {
                    #expect(try AppManagedConfiguration(payload: app.payload) == app)
                }
                if let asset = try? declaration.read(DataAsset.self) {
                    #expect(try DataAsset(payload: asset.payload) == asset)
                }
            }
            if let manifest = try? AppManifest(parsing: data) {
                read += 1
                #expect(try AppManifest(parsing: manifest.encoded()) == manifest)
            }
            read += try Self.readAsSecret(data)
            if read > 0 { accepted += 1 }
        }
        #expect(accepted > Mutation.iterations / 50, "too few mutations survive to prove anything")
    }

    private static func readAsSecret(_ data: Data) throws -> Int {
        var read = 0
        if let document = try? UserNameAndPassword(parsing: data) {
            read += 1
            #expect(try UserNameAndPassword(parsing: document.encoded()) == document)
        }
        if let document = try? IdentityDocument(parsing: data) {
            read += 1
            #expect(try IdentityDocument(parsing: document.encoded()) == document)
        }
        if let document = try? SCEPDocument(parsing: data) {
            read += 1
            #expect(try SCEPDocument(parsing: document.encoded()) == document)
        }
        if let document = try? ACMEDocument(parsing: data) {
            read += 1
            #expect(try ACMEDocument(parsing: document.encoded()) == document)
        }
        if let declaration = try? Declaration(parsing: data), let asset = try? CredentialAsset(declaration) {
            read += 1
            let again = asset.declaration(identifier: declaration.identifier, serverToken: declaration.serverToken)
            #expect(try CredentialAsset(again) == asset)
        }
        return read
    }
}
