import DeviceMessages
import Foundation
import InputBounds
import Testing

/// What an enrollment by account is made of (S4-PLAT-05, S4-IDP-02).
struct AccountMessagesTests {
    /// Both of Apple's versions; others are passed over, and nothing but https is followed.
    @Test func theDiscoveryDocumentNamesTheFirstServerThatIsUnderstood() throws {
        func read(_ json: String) throws -> EnrollmentDiscovery { try EnrollmentDiscovery(parsing: Data(json.utf8)) }
        let own = EnrollmentDiscovery(mode: .ownDevice, baseURL: "https://s/enroll")
        #expect(try EnrollmentDiscovery(parsing: own.encoded()) == own)
        let list = #"{"Servers":[{"Version":"new","BaseURL":5},{"Version":"mdm-adde","BaseURL":"https://s"}],"More":1}"#
        #expect(try read(list) == EnrollmentDiscovery(mode: .organizationsDevice, baseURL: "https://s"))
        for wrong in [
            #"{"Servers":[]}"#, #"{"Servers":[{"Version":"mdm-byod","BaseURL":"http://s"}]}"#, "{}", "[]",
            #"{"Servers":[{"Version":"mdm-byod"}]}"#, String(repeating: " ", count: 70_000) + list,
        ] {
            #expect(throws: InputRefusal.self) { try read(wrong) }
        }
    }

    @Test func anAccountIsSplitAtItsLastAt() throws {
        let account = try EnrollmentAccount(parsing: "o'neil@home@Example.ORG")
        #expect(account.name == "o'neil@home@example.org" && account.domain == "example.org")
        #expect(
            account.discoveryURL()
                == "https://example.org/.well-known/com.apple.remotemanagement?user-identifier=o%27neil%40home%40example%2Eorg"
                + "&model-family=Linux")
        for wrong in ["anna", "@a.b", "a@", "a b@c.d", "a@b..c", "a@-b", "a@b/c", "a@b:1", "a@b?c", "a@b@"] {
            #expect(throws: InputRefusal.self, "\(wrong)") { try EnrollmentAccount(parsing: wrong) }
        }
    }

    @Test func aDemandToSignInIsReadHoweverItIsWritten() throws {
        let challenge = SignInChallenge(url: "https://s/sign-in?a=b,c")
        #expect(challenge.text == #"Bearer method="apple-as-web", url="https://s/sign-in?a=b,c""#)
        #expect(try SignInChallenge(parsing: challenge.text) == challenge)
        let other = try SignInChallenge(parsing: #"bearer  url="https://s/sign-in?a=b,c",METHOD=apple-as-web"#)
        #expect(other == challenge)
        #expect(try SignInChallenge(parsing: #"Bearer method="apple-oauth2", client-id="1""#).method == "apple-oauth2")
        for wrong in [
            "Basic realm=x", "Bearer ", "Bearer method", #"Bearer method="apple-as-web"#,
            #"Bearer method="apple-as-web", url="http://s""#, #"Bearer method="apple-as-web""#,
            "Bearer method=" + String(repeating: "a", count: 9_000),
        ] {
            #expect(throws: InputRefusal.self, "\(wrong.prefix(60))") { try SignInChallenge(parsing: wrong) }
        }
    }

    @Test func theResultOfASignInIsATokenAndNothingThatCouldForgeAHeader() throws {
        let result = SignInResult(token: "a+b/c=")
        #expect(result.url == "apple-remotemanagement-user-login://authentication-results?access-token=a%2Bb%2Fc%3D")
        #expect(try SignInResult(parsing: result.url) == result)
        let start = "apple-remotemanagement-user-login://authentication-results?"
        for wrong in [
            start, start + "token=a", start + "access-token=a%0D%0Ab", start + "access-token=",
            "https://s?access-token=a",
        ] {
            #expect(throws: InputRefusal.self, "\(wrong)") { try SignInResult(parsing: wrong) }
        }
    }

    @Test func whatADeviceSaysOfItselfIsBounded() throws {
        let info = MachineInfo(
            product: "Linux", version: "6.1", osVersion: "12", language: "de_CH", udid: "U", serialNumber: "S")
        #expect(try MachineInfo(parsing: info.encoded()) == info)
        let anonymous = MachineInfo(product: "Linux", version: "6.1")
        #expect(try MachineInfo(parsing: anonymous.encoded()) == anonymous)
        let long = MachineInfo(
            product: String(repeating: "P", count: 300), version: "6.1",
            serialNumber: String(repeating: "S", count: 129))
        let cut = try MachineInfo(parsing: long.encoded())
        #expect(cut.product == String(repeating: "P", count: 253) + "…")
        #expect(cut.serialNumber == String(repeating: "S", count: 125) + "…", "which is no serial number")
    }

    /// Mode and account belong together; a mode that is not known is not taken for another.
    @Test func aProfileByAccountSaysModeAndAccount() throws {
        var profile = try EnrollmentProfileTests.ours()
        profile.mdm.account = MDMPayload.Account(mode: .ownDevice, name: "anna@example.org")
        profile.mdm.accessRights = nil
        profile.removalDisallowed = true
        let text = String(decoding: profile.encoded(), as: UTF8.self)
        #expect(try EnrollmentProfile(parsing: profile.encoded()) == profile)
        #expect(text.contains("<string>BYOD</string>") && text.contains("AssignedManagedAppleID"))
        #expect(text.contains("PayloadRemovalDisallowed") && !text.contains("AccessRights"))
        for (old, new) in [("BYOD", "OTHER"), ("AssignedManagedAppleID", "Nobody"), ("EnrollmentMode", "NoMode")] {
            #expect(throws: InputRefusal.self) {
                try EnrollmentProfile(parsing: Data(text.replacing(old, with: new).utf8))
            }
        }
    }
}
