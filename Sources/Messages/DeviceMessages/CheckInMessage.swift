package import Foundation
package import InputBounds

/// What a device sends to the check-in URL.
package enum CheckInMessage: Hashable, Sendable {
    case authenticate(Authenticate)
    case tokenUpdate(TokenUpdate)
    case checkOut(CheckOut)
    case declarativeManagement(DeclarativeManagementRequest)
    case setBootstrapToken(SetBootstrapToken)
    /// A device asks for the bootstrap token that it left.
    case getBootstrapToken(EnrollmentIdentifier)
    /// A Mac asks whether a user of the network's directory is managed while they are logged in.
    case userAuthenticate(EnrollmentIdentifier)
    /// A message type that this project does not act on, such as `GetToken`.
    case other(messageType: String, identifier: EnrollmentIdentifier?)

    /// Reads an XML or binary property list sent by a device, as far as it can be read.
    ///
    /// Keys that are not known are ignored.
    package init(parsing data: Data) throws(InputRefusal) {
        self = try Self.read(data).value
    }

    /// The same, with the places that were read only in part.
    package static func read(_ data: Data) throws(InputRefusal) -> LenientReading<CheckInMessage> {
        let list = try PropertyListValue.reading(data, limits: .message)
        var said = SaidFields(try MessageFields(list.value), list.oddities)
        let messageType = try said.fields.string("MessageType", limit: 64)
        let message: CheckInMessage
        switch messageType {
        case "Authenticate": message = .authenticate(try Authenticate(&said))
        case "TokenUpdate": message = .tokenUpdate(try TokenUpdate(&said))
        case "CheckOut": message = .checkOut(try CheckOut(&said))
        case "DeclarativeManagement": message = .declarativeManagement(try DeclarativeManagementRequest(said.fields))
        case "SetBootstrapToken": message = .setBootstrapToken(try SetBootstrapToken(said.fields))
        case "GetBootstrapToken": message = .getBootstrapToken(try EnrollmentIdentifier(in: said.fields))
        case "UserAuthenticate": message = .userAuthenticate(try EnrollmentIdentifier(in: said.fields))
        default: message = .other(messageType: messageType, identifier: try EnrollmentIdentifier(ifIn: said.fields))
        }
        return LenientReading(message, said.oddities)
    }

    /// The enrollment that speaks.
    package var identifier: EnrollmentIdentifier? {
        switch self {
        case .authenticate(let message): message.identifier
        case .tokenUpdate(let message): message.identifier
        case .checkOut(let message): message.identifier
        case .declarativeManagement(let message): message.identifier
        case .setBootstrapToken(let message): message.identifier
        case .getBootstrapToken(let identifier), .userAuthenticate(let identifier): identifier
        case .other(_, let identifier): identifier
        }
    }

    /// The name in `MessageType`.
    package var messageType: String {
        switch self {
        case .authenticate: "Authenticate"
        case .tokenUpdate: "TokenUpdate"
        case .checkOut: "CheckOut"
        case .declarativeManagement: "DeclarativeManagement"
        case .setBootstrapToken: "SetBootstrapToken"
        case .getBootstrapToken: "GetBootstrapToken"
        case .userAuthenticate: "UserAuthenticate"
        case .other(let messageType, _): messageType
        }
    }

    /// The message as an XML property list.
    package func encoded() -> Data {
        var entries = MessageEntries()
        entries.set("MessageType", messageType)
        identifier?.write(to: &entries)
        switch self {
        case .authenticate(let message): message.write(to: &entries)
        case .tokenUpdate(let message): message.write(to: &entries)
        case .checkOut(let message): entries.set("Topic", message.topic)
        case .declarativeManagement(let message): message.write(to: &entries)
        case .setBootstrapToken(let message): entries.set("BootstrapToken", message.token)
        case .getBootstrapToken, .userAuthenticate, .other: break
        }
        return entries.value.xml()
    }
}

/// A device begins to enroll; it is enrolled only after its first `TokenUpdate`.
package struct Authenticate: Hashable, Sendable {
    package var identifier: EnrollmentIdentifier
    package var topic: String
    /// Empty where the platform does not send it, as on iPhone.
    package var deviceName: String
    package var modelName: String
    package var model: String
    /// These four come only with the right to query device information; a user enrollment has no serial number.
    package var osVersion: String?
    package var buildVersion: String?
    package var productName: String?
    package var serialNumber: String?
    /// Only Martlet's agent sends it; no property of the device.
    package var agentVersion: String?

    package init(
        identifier: EnrollmentIdentifier, topic: String, deviceName: String = "", modelName: String = "",
        model: String = "", osVersion: String? = nil, buildVersion: String? = nil, productName: String? = nil,
        serialNumber: String? = nil, agentVersion: String? = nil
    ) {
        self.identifier = identifier
        self.topic = topic
        self.deviceName = deviceName
        self.modelName = modelName
        self.model = model
        self.osVersion = osVersion
        self.buildVersion = buildVersion
        self.productName = productName
        self.serialNumber = serialNumber
        self.agentVersion = agentVersion
    }

    /// What a device says of itself enrolls it, however long: only who it is has to be right.
    init(_ said: inout SaidFields<PropertyListValue>) throws(InputRefusal) {
        identifier = try EnrollmentIdentifier(in: said.fields)
        topic = try said.fields.string("Topic", limit: 256)
        deviceName = said.text("DeviceName", limit: 256) ?? ""
        modelName = said.text("ModelName", limit: 256) ?? ""
        model = said.text("Model", limit: 256) ?? ""
        osVersion = said.text("OSVersion", limit: 256)
        buildVersion = said.text("BuildVersion", limit: 256)
        productName = said.text("ProductName", limit: 256)
        serialNumber = said.name("SerialNumber", .serialNumber)
        agentVersion = said.text("MartletAgentVersion", limit: 64)
    }

    func write(to entries: inout MessageEntries) {
        entries.set("Topic", topic)
        entries.set("DeviceName", deviceName.isEmpty ? nil : deviceName)
        entries.set("ModelName", modelName.isEmpty ? nil : modelName)
        entries.set("Model", model.isEmpty ? nil : model)
        entries.set("OSVersion", osVersion)
        entries.set("BuildVersion", buildVersion)
        entries.set("ProductName", productName)
        entries.set("SerialNumber", serialNumber)
        entries.set("MartletAgentVersion", agentVersion)
    }
}

/// A device says how to wake it; the first one completes an enrollment, later ones replace what they hold.
package struct TokenUpdate: Hashable, Sendable {
    package var identifier: EnrollmentIdentifier
    package var topic: String
    /// Opaque: what the wake-up channel needs to reach the device.
    package var token: Data
    /// The device heeds only events that carry this.
    package var pushMagic: String
    /// Missing does not invalidate one that was sent before.
    package var unlockToken: Data?
    /// Whether the device waits in Setup Assistant for `DeviceConfigured`; a message without it changes nothing.
    package var awaitingConfiguration: Bool?

    package init(
        identifier: EnrollmentIdentifier, topic: String, token: Data, pushMagic: String, unlockToken: Data? = nil,
        awaitingConfiguration: Bool? = nil
    ) {
        self.identifier = identifier
        self.topic = topic
        self.token = token
        self.pushMagic = pushMagic
        self.unlockToken = unlockToken
        self.awaitingConfiguration = awaitingConfiguration
    }

    init(_ said: inout SaidFields<PropertyListValue>) throws(InputRefusal) {
        identifier = try EnrollmentIdentifier(in: said.fields)
        topic = try said.fields.string("Topic", limit: 256)
        token = try said.fields.data("Token")
        pushMagic = try said.fields.string("PushMagic", limit: 256)
        unlockToken = said.data("UnlockToken", limit: 65_536)
        awaitingConfiguration = said.flag("AwaitingConfiguration")
        guard token.count <= 1024 else { throw InputRefusal("a token is too long") }
    }

    func write(to entries: inout MessageEntries) {
        entries.set("Topic", topic)
        entries.set("Token", token)
        entries.set("PushMagic", pushMagic)
        entries.set("UnlockToken", unlockToken)
        if let awaitingConfiguration { entries.set("AwaitingConfiguration", awaitingConfiguration) }
        // A Mac's user channel must say it; nothing here logs in at the console.
        if identifier.userID != nil { entries.set("NotOnConsole", false) }
    }
}

/// A device tells, once and if it can, that it leaves.
package struct CheckOut: Hashable, Sendable {
    package var identifier: EnrollmentIdentifier
    package var topic: String

    package init(identifier: EnrollmentIdentifier, topic: String) {
        self.identifier = identifier
        self.topic = topic
    }

    init(_ said: inout SaidFields<PropertyListValue>) throws(InputRefusal) {
        identifier = try EnrollmentIdentifier(in: said.fields)
        topic = said.text("Topic", limit: 256) ?? ""
    }
}

/// Declarative management inside a check-in message.
package struct DeclarativeManagementRequest: Hashable, Sendable {
    package var identifier: EnrollmentIdentifier
    package var endpoint: DeclarativeEndpoint
    /// The JSON document of a status report; other endpoints have none.
    package var data: Data?

    package init(identifier: EnrollmentIdentifier, endpoint: DeclarativeEndpoint, data: Data? = nil) {
        self.identifier = identifier
        self.endpoint = endpoint
        self.data = data
    }

    init(_ fields: MessageFields) throws(InputRefusal) {
        identifier = try EnrollmentIdentifier(in: fields)
        endpoint = try DeclarativeEndpoint(parsing: try fields.string("Endpoint", limit: 128))
        data = try fields.dataIfPresent("Data")
    }

    func write(to entries: inout MessageEntries) {
        entries.set("Endpoint", endpoint.text)
        entries.set("Data", data)
    }
}
