import CryptographicMessages
import DeviceMessages
import Foundation
import HTTPTypes
import Hummingbird
import InputBounds
import Logging
import Management
import NIOCore

/// How people enroll devices of their own: the way is found by their account, they sign in on a page, and what comes of it
/// opens the profile.
///
/// This is not device management yet: here 401 means that somebody has to sign in. Later it has to come with the way to do
/// so, or devices take it for the end.
struct AccountEnrollmentRoutes: Sendable {
    static let profilePath = "/enroll/account"
    static let pagePath = "/enroll/account/sign-in"

    /// How a person signs in.
    static func challenge(_ baseURL: String) -> SignInChallenge { SignInChallenge(url: baseURL + pagePath) }

    let management: Management
    let baseURL: String
    let limits: ServerLimits
    let traffic: Traffic
    let strangers: StrangerBudget
    let profiles: PeerRate

    func add(to router: Router<MartletContext>) {
        router.get("\(EnrollmentDiscovery.path)") { request, context in discover(request, context) }
        router.post("\(Self.profilePath)") { request, context in try await profile(request, context) }
        router.get("\(Self.pagePath)") { request, _ in
            SignInPage(account: request.uri.queryParameters["user-identifier"].map(String.init)).response(.ok)
        }
        router.post("\(Self.pagePath)") { request, context in try await signIn(request, context) }
    }

    /// The answer is the same for every account, so that it does not show who is invited.
    private func discover(_ request: Request, _ context: MartletContext) -> Response {
        let name = request.uri.queryParameters["user-identifier"].map(String.init) ?? ""
        guard management.enrolsByAccount, (try? EnrollmentAccount(parsing: name)) != nil else {
            return refuse(.notFound, "no device can enroll here by such an account", context)
        }
        let document = EnrollmentDiscovery(mode: .ownDevice, baseURL: baseURL + Self.profilePath)
        return Response(
            status: .ok, headers: [.contentType: MediaType.json, .cacheControl: "no-store"],
            body: ResponseBody(data: document.encoded()))
    }

    private func profile(_ request: Request, _ context: MartletContext) async throws -> Response {
        guard management.enrolsByAccount else {
            return refuse(.notFound, "no device can enroll here by account", context)
        }
        guard profiles.admits(context.peer.counted) else { throw HTTPProblem.askedEnough }
        do {
            // A person's device says nothing that would have to be kept.
            _ = try await SignedMachineInfo.read(request, context, strangers, limits: limits)
        } catch let refusal as InputRefusal {
            return refuse(.badRequest, refusal.rule, context)
        }
        guard let token = request.bearerToken else { return demandSignIn(nil, context) }
        switch try await management.accountProfile(token: token) {
        case .refused(let refusal): return demandSignIn(refusal.reason, context)
        case .accepted(let profile):
            return Response(
                status: .ok, headers: [.contentType: MediaType.profile, .cacheControl: "no-store"],
                body: ResponseBody(data: profile.encoded()))
        }
    }

    private func signIn(_ request: Request, _ context: MartletContext) async throws -> Response {
        let form: SignInForm
        do {
            form = try SignInForm(parsing: try await request.bytes(upTo: limits.formBytes))
        } catch is SignInForm.Incomplete {
            return refuse(.badRequest, "a sign-in is a form with an account and a password", context)
        }
        let address = PeerAddress.text(of: context.channel.remoteAddress)
        let outcome = try await management.signIn(account: form.account, password: form.password, from: address)
        switch outcome {
        case .accepted(let token):
            return Response(
                status: .permanentRedirect,
                headers: [.location: SignInResult(token: token).url, .cacheControl: "no-store"])
        case .refused(let refusal):
            traffic.countRefusal()
            context.logger.notice("sign-in refused", metadata: ["rule": "\(refusal.reason)"])
            var page = SignInPage(account: form.account)
            switch refusal {
            case .wrongNameOrPassword:
                page.problem = "The account or the password is wrong, or the invitation has ended."
                return page.response(.forbidden)
            case .throttled(let seconds):
                page.problem = refusal.reason
                return page.response(.tooManyRequests, retryAfter: seconds)
            }
        }
    }

    private func demandSignIn(_ rule: String?, _ context: MartletContext) -> Response {
        if let rule {
            traffic.countRefusal()
            context.logger.notice("enrollment refused", metadata: ["rule": "\(rule)"])
        }
        return Response(
            status: .unauthorized,
            headers: [.wwwAuthenticate: Self.challenge(baseURL).text, .cacheControl: "no-store"])
    }

    private func refuse(_ status: HTTPResponse.Status, _ rule: String, _ context: MartletContext) -> Response {
        traffic.countRefusal()
        context.logger.notice("enrollment refused", metadata: ["rule": "\(rule)"])
        return PagePolicy.sentence(rule, status: status)
    }
}

extension HTTPProblem {
    static let askedEnough = HTTPProblem(
        .tooManyRequests, "throttled", "Too many profiles were asked for from this address",
        headers: [.retryAfter: "60"])
}

extension Request {
    /// What comes of signing in, as clients show it.
    var bearerToken: String? {
        guard let header = headers[.authorization], header.lowercased().hasPrefix("bearer ") else { return nil }
        return String(header.dropFirst(7))
    }
}

/// Reads what a device says of itself when it asks for a profile.
enum SignedMachineInfo {
    /// Devices sign with keys of their makers, some of them with old algorithms: that the message is whole is all that is
    /// taken from it.
    ///
    /// Throws `InputRefusal` for what is no such description.
    static func read(
        _ request: Request, _ context: MartletContext, _ strangers: StrangerBudget, limits: ServerLimits
    ) async throws -> MachineInfo {
        let body: Data
        do {
            body = try await request.bytes(upTo: limits.scepMessageBytes)
        } catch BodyRefusal.tooLarge {
            throw InputRefusal("a device's description is at most \(limits.scepMessageBytes) bytes")
        }
        return try await strangers.work.run(for: context.peer) {
            let message: SignedMessage
            do {
                message = try SignedMessage.open(body, policy: .legacy, attributes: [])
            } catch {
                throw InputRefusal("the signature of the device's description cannot be verified: \(error)")
            }
            return try MachineInfo(parsing: message.content)
        }
    }
}
