import Foundation
import ManagedApp
import Testing

/// Apple-style code, compiled without our settings, in a process that no agent started.
struct SecurityNameTests {
    /// S4-SECRET-08: the talk's delegate cancels the challenge where no identity was provided.
    @Test func theDelegateOfTheTalkCancelsWithoutAnIdentity() async {
        let answer = await AssetServerDelegate().urlSession(
            URLSession(), task: URLSessionTask(),
            didReceive: URLAuthenticationChallenge(
                protectionSpace: URLProtectionSpace(
                    authenticationMethod: NSURLAuthenticationMethodClientCertificate)))
        #expect(answer.0 == .cancelAuthenticationChallenge)
        #expect(answer.1 == nil)
    }

    /// S1-PIN-03: any other challenge is handled as ever.
    @Test func theDelegateOfTheTalkLeavesOtherChallengesAlone() async {
        let answer = await AssetServerDelegate().urlSession(
            URLSession(), task: URLSessionTask(),
            didReceive: URLAuthenticationChallenge(
                protectionSpace: URLProtectionSpace(authenticationMethod: "NSURLAuthenticationMethodServerTrust")))
        #expect(answer.0 == .performDefaultHandling)
    }

    @Test func signingWithoutAnIdentityThrowsTheFrameworksError() async {
        await #expect(throws: ManagedAppError.invalidIdentifier) {
            try await signature(of: Data("message".utf8), withIdentity: "asset-server")
        }
    }

    /// S1-PIN-04: bytes that are no certificate make none.
    @Test func garbageIsNoCertificate() {
        #expect(roundTrip(Data("garbage".utf8)) == nil)
    }
}
