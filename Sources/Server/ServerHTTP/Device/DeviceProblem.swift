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
/// not recognized (D13).
struct DeviceProblem: Error {
    let status: HTTPResponse.Status
    /// Names the rule, never what was sent.
    let rule: String
    let enrollment: String?
    var document: DeviceErrorDocument?
    /// After how many seconds a device may come again that comes too early.
    private var retryAfter = 60

    init(_ status: HTTPResponse.Status, rule: String, enrollment: String? = nil) {
        self.status = status
        self.rule = rule
        self.enrollment = enrollment
    }

    /// An expired identity; the answer says so, and not that the device is unrecognized.
    init(expired what: String, enrollment: String?) {
        status = .badRequest
        rule = "\(what) has expired"
        self.enrollment = enrollment
        document = DeviceErrorDocument(
            code: DeviceErrorDocument.expiredIdentity, description: "The identity of this device has expired.")
    }

    /// A download or a wake stream that is asked for by a signature alone.
    static let certificateNeeded: DeviceProblem = {
        var problem = DeviceProblem(
            .badRequest,
            rule: """
                downloads and wake streams need the device's certificate on the connection; where TLS ends before this \
                server, pass the connections of devices through to it
                """)
        problem.document = DeviceErrorDocument(
            code: DeviceErrorDocument.certificateNeeded,
            description: """
                A signature does not vouch for a download. The device shows its certificate on the TLS connection; a proxy \
                between it and the server has to pass that connection through.
                """)
        return problem
    }()

    /// A bootstrap token that is asked for by a signature that could be anybody's copy.
    static func freshnessNeeded(enrollment: String?) -> DeviceProblem {
        var problem = DeviceProblem(
            .badRequest,
            rule: """
                a device is given its bootstrap token over a connection with its certificate, or for a signature that says \
                its time; where TLS ends before this server, pass the connections of devices through to it
                """, enrollment: enrollment)
        problem.document = DeviceErrorDocument(
            code: DeviceErrorDocument.certificateNeeded,
            description: """
                A signature that says no time does not vouch for this request. The device shows its certificate on the TLS \
                connection; a proxy between it and the server has to pass that connection through.
                """)
        return problem
    }

    init(_ refusal: DeviceRefusal, enrollment: String?) {
        rule = refusal.logText
        self.enrollment = enrollment
        switch refusal {
        case .unknownDevice: status = .serviceUnavailable
        case .mismatch, .unsupported: status = .badRequest
        case .identifierTaken:
            status = .badRequest
            document = DeviceErrorDocument(
                code: DeviceErrorDocument.identifierTaken,
                description: "Another machine is enrolled under this identifier.")
        case .secretsOutOfReach:
            status = .badRequest
            document = DeviceErrorDocument(
                code: DeviceErrorDocument.secretsOutOfReach,
                description: "Only an administrator lets a device into this group.")
        case .signInNeeded: status = .unauthorized
        case .tooManyReports(let seconds): (status, retryAfter) = (.serviceUnavailable, seconds)
        case .withdrawn:
            status = .forbidden
            document = DeviceErrorDocument(
                code: DeviceErrorDocument.unrecognizedDevice, description: "The enrollment was ended.")
        }
    }

    /// The answer, after one line in the log if there is room for it; `signIn` is the way to sign in.
    func response(
        context: MartletContext, traffic: Traffic, log: RefusalLog, signIn: SignInChallenge
    ) -> Response {
        traffic.countRefusal()
        if let leftOut = log.admit(enrollment) {
            var metadata: Logger.Metadata = [
                "rule": "\(rule)", "enrollment": "\(enrollment.map(LogText.init(peer:))?.text ?? "unknown")",
                "status": "\(status.code)",
            ]
            if leftOut > 0 { metadata["leftOut"] = "\(leftOut)" }
            context.logger.notice("device refused", metadata: metadata)
        }
        if let document {
            return Response(
                status: status, headers: [.contentType: MediaType.json],
                body: ResponseBody(data: document.encodedJSON()))
        }
        var headers = HTTPFields()
        if status == .serviceUnavailable { headers[.retryAfter] = "\(retryAfter)" }
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
