/// The actor of an audited action.
package enum AuditActor: Sendable, Equatable {
    case administrator(String)
    case device(String)
    /// An operator with access to the server's files.
    case `operator`
    /// The server by itself.
    case server

    package var text: String {
        switch self {
        case .administrator(let name): "administrator:\(name)"
        case .device(let key): "device:\(key)"
        case .operator: "operator"
        case .server: "server"
        }
    }
}
