/// An error as a reply carries it: a name, and what the standard says goes with it.
package struct VarlinkError: Error, Hashable, Sendable {
    /// The full name, interface included.
    package let name: String

    let parameters: [String: String]

    init(name: String, parameters: [String: String] = [:]) {
        self.name = name
        self.parameters = parameters
    }

    /// An error of the control interface.
    package init(control name: String) {
        self.init(name: "dev.martlet.Control." + name)
    }

    /// No such method in the interface.
    package static func methodNotFound(_ method: String) -> Self {
        Self(name: "org.varlink.service.MethodNotFound", parameters: ["method": plain(method)])
    }

    /// No such interface.
    package static func interfaceNotFound(_ interface: String) -> Self {
        Self(name: "org.varlink.service.InterfaceNotFound", parameters: ["interface": plain(interface)])
    }

    /// A parameter is missing, of a wrong type or outside its bounds.
    package static func invalidParameter(_ parameter: String) -> Self {
        Self(name: "org.varlink.service.InvalidParameter", parameters: ["parameter": plain(parameter)])
    }

    /// The method answers with a stream only.
    package static let expectedMore = Self(name: "org.varlink.service.ExpectedMore")

    /// The agent did not launch this process.
    package static let permissionDenied = Self(name: "org.varlink.service.PermissionDenied")

    /// No such secret is provisioned for this app now.
    package static let invalidIdentifier = Self(name: "dev.martlet.App.InvalidIdentifier")

    /// The agent did not launch this process, and serves it only after it returns this challenge with `Identify`.
    package static func identificationNeeded(_ challenge: String) -> Self {
        Self(name: identification, parameters: ["challenge": challenge])
    }

    /// What has to be sent back, if the error asks for that.
    package var challenge: String? { name == Self.identification ? parameters["challenge"] : nil }

    static let identification = "dev.martlet.App.IdentificationNeeded"

    /// The device is not sure enough of the app to give it this secret.
    package static let secretsWithheld = Self(name: "dev.martlet.App.SecretsWithheld")

    /// The app's feedback is not kept as it is; `reason` is the agent's own sentence.
    package static func feedbackRefused(_ reason: String) -> Self {
        Self(name: "dev.martlet.Defaults.FeedbackRefused", parameters: ["reason": reason])
    }

    /// The secret could not be had from where it is kept.
    package static let serverError = Self(name: "dev.martlet.App.ServerError")

    /// The device could not do it.
    package static let internalError = Self(name: "dev.martlet.App.InternalError")

    // Only what could be a name goes back: an error never repeats arbitrary input.
    private static func plain(_ text: String) -> String {
        let kept = text.utf8.prefix(128)
        let isName = kept.allSatisfy { byte in
            switch UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 {
            case true: true
            case false: UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: ".")
            }
        }
        return isName ? String(decoding: kept, as: UTF8.self) : ""
    }
}
