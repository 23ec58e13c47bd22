import DeviceMessages
import HTTPTypes
import Hummingbird
import InputBounds
import Logging
import Management

/// Why a device's request is refused: the answer it acts on, and the rule for the log.
///
/// Devices unenrol at a bare 401, so that status does not exist here. With the way to sign in beside it, it has the person
/// of a device that came by an account sign in again, and nobody else hears it. Only a withdrawn enrollment hears that it is
/// not recognised (D13).
struct DeviceProblem: Error {
    let status: HTTPResponse.Status
    /// Names the rule, never what was sent.
    let rule: String
    let enrollment: String?
    var document: DeviceErrorDocument?

    init(_ status: HTTPResponse.Status, rule: String, enrollment: String? = nil) {
        self.status = status
        self.rule = rule
        self.enrollment = enrollment
    }

    /// An identity whose time is over; the device is told so in words, and not that it is unrecognised.
    init(expired what: String, enrollment: String?) {
        status = .badRequest
        rule = "\(what) has expired"
        self.enrollment = enrollment
        document = DeviceErrorDocument(
            code: DeviceErrorDocument.expiredIdentity, description: "The identity of this device has expired.")
    }

    init(_ refusal: DeviceRefusal, enrollment: String?) {
        rule = refusal.logText
        self.enrollment = enrollment
        switch refusal {
        case .unknownDevice: status = .serviceUnavailable
        case .mismatch, .unsupported: status = .badRequest
        case .signInNeeded: status = .unauthorized
        case .withdrawn:
            status = .forbidden
            document = DeviceErrorDocument(
                code: DeviceErrorDocument.unrecognizedDevice, description: "The enrollment was ended.")
        }
    }

    /// The answer, after one line in the log; `signIn` is the way to sign in.
    func response(context: MartletContext, traffic: Traffic, signIn: SignInChallenge) -> Response {
        traffic.countRefusal()
        context.logger.notice(
            "device refused",
            metadata: [
                "rule": "\(rule)", "enrollment": "\(enrollment.map(LogText.init(peer:))?.text ?? "unknown")",
                "status": "\(status.code)",
            ])
        if let document {
            return Response(
                status: status, headers: [.contentType: MediaType.json],
                body: ResponseBody(data: document.encodedJSON()))
        }
        var headers = HTTPFields()
        if status == .serviceUnavailable { headers[.retryAfter] = "60" }
        if status == .unauthorized { headers[.wwwAuthenticate] = signIn.text }
        return Response(status: status, headers: headers)
    }
}

/// A short text of a peer's in a form that cannot forge a log line.
struct LogText {
    let text: String

    init(peer text: String) {
        let plain = text.unicodeScalars.prefix(80).map { scalar in
            (0x20...0x7E).contains(scalar.value) ? Character(scalar) : "?"
        }
        self.text = String(plain)
    }
}
