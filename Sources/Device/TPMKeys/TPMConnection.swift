import Attestation
import CTPM
import Foundation

/// An open way to a chip, used by one thread: sends a command, waits for the answer.
@safe
final class TPMConnection {
    private let context: OpaquePointer
    /// Whether somebody between us and the chip frees what a process leaves behind, and makes room for others.
    private let isManaged: Bool
    /// The storage root, once it was needed.
    var storageRoot: UInt32?

    /// Of a command or an answer, in bytes: what every TPM takes.
    private static let limit = 4_096
    /// At a twentieth of a second each: longer than others keep their keys in the chip without using them.
    private static let attempts = 60
    // TPM_RC_OBJECT_MEMORY.
    private static let full: UInt32 = 0x902

    init(_ place: String) throws(TPMFailure) {
        var context: OpaquePointer?
        let outcome = unsafe c_tcti_open(place, &context)
        guard outcome != C_TCTI_NO_LIBRARY else { throw .noLibrary }
        guard outcome == 0, let context = unsafe context else { throw .unreachable }
        unsafe self.context = context
        isManaged = place.contains("tpmrm") || place.hasPrefix("tabrmd")
    }

    deinit {
        // A chip without a resource manager would keep it, and has room for three.
        if let storageRoot { flush(storageRoot) }
        var context: OpaquePointer? = unsafe self.context
        unsafe c_tcti_close(&context)
    }

    /// Runs a command and returns a reader on the answer's parameters, and the handle if the command yields one.
    func run(_ command: TPMCommand) throws(TPMFailure) -> (handle: UInt32, parameters: TPMReader) {
        let request = command.encoded
        for attempt in 0..<Self.attempts {
            let answer = try exchange(request)
            do {
                var reader = try TPMReader(answer)
                let tag = try reader.integer(UInt16.self)
                guard try reader.integer(UInt32.self) == UInt32(answer.count) else { throw TPMMalformed() }
                let code = try reader.integer(UInt32.self)
                // The chip tests itself, asks to be asked again, or is full of the keys of somebody else.
                if [0x922, 0x908, 0x90a, Self.full].contains(code), attempt < Self.attempts - 1 {
                    Thread.sleep(forTimeInterval: 0.05)
                    continue
                }
                if code == Self.full, !isManaged { freeAll() }
                guard code == 0 else { throw TPMFailure.refused(code) }
                let handle = command.yieldsHandle ? try reader.integer(UInt32.self) : 0
                guard (tag == TPMCommand.withSessions) == !command.authorizations.isEmpty else {
                    throw TPMMalformed()
                }
                guard tag == TPMCommand.withSessions else { return (handle, reader) }
                let count = try reader.integer(UInt32.self)
                return (handle, try TPMReader(try reader.octets(Int(count))))
            } catch let failure as TPMFailure {
                throw failure
            } catch {
                throw .malformed
            }
        }
        throw .timeout
    }

    /// Frees an object in the chip, which has room for three.
    func flush(_ handle: UInt32) {
        var writer = TPMWriter()
        writer.integer(handle)
        _ = try? run(TPMCommand(.flushContext, parameters: writer.data))
    }

    /// Leaves room for others, unless a resource manager does so.
    func letGo() {
        guard !isManaged, let storageRoot else { return }
        flush(storageRoot)
        self.storageRoot = nil
    }

    // Nobody uses the chip for so long: what fills it was left by a process that ended without a farewell.
    private func freeAll() {
        var question = TPMWriter()
        // TPM_CAP_HANDLES, from the first one of an object in the chip.
        for number: UInt32 in [1, 0x8000_0000, 16] { question.integer(number) }
        guard var answer = try? run(TPMCommand(.getCapability, parameters: question.data)).parameters,
            (try? answer.octets(5)) != nil, let count = try? answer.integer(UInt32.self)
        else { return }
        for _ in 0..<min(count, 16) {
            if let handle = try? answer.integer(UInt32.self) { flush(handle) }
        }
        storageRoot = nil
    }

    private func exchange(_ request: Data) throws(TPMFailure) -> Data {
        let request = [UInt8](request)
        guard unsafe c_tcti_transmit(context, request.count, request) == 0 else { throw .connectionLost }
        var answer = [UInt8](repeating: 0, count: Self.limit)
        var count = answer.count
        guard unsafe c_tcti_receive(context, &count, &answer) == 0, count <= Self.limit else {
            throw .connectionLost
        }
        return Data(answer.prefix(count))
    }
}

/// A command of TPM 2.0, ready to be sent.
struct TPMCommand {
    enum Code: UInt32 {
        case nvUndefineSpace = 0x122
        case nvDefineSpace = 0x12a
        case createPrimary = 0x131
        case nvIncrement = 0x134
        case activateCredential = 0x147
        case certify = 0x148
        case nvRead = 0x14e
        case policySecret = 0x151
        case create = 0x153
        case load = 0x157
        case sign = 0x15d
        case unseal = 0x15e
        case flushContext = 0x165
        case nvReadPublic = 0x169
        case readPublic = 0x173
        case getCapability = 0x17a
        case startAuthSession = 0x176
    }

    /// How the use of a handle is authorized.
    enum Authorization {
        case emptyPassword
        case policy(session: UInt32)
    }

    static let withSessions: UInt16 = 0x8002
    private static let withoutSessions: UInt16 = 0x8001
    private static let passwordSession: UInt32 = 0x4000_0009

    let code: Code
    var handles: [UInt32] = []
    var authorizations: [Authorization] = []
    var parameters = Data()

    init(_ code: Code, handles: [UInt32] = [], authorizations: [Authorization] = [], parameters: Data = Data()) {
        self.code = code
        self.handles = handles
        self.authorizations = authorizations
        self.parameters = parameters
    }

    var yieldsHandle: Bool { [.createPrimary, .load, .startAuthSession].contains(code) }

    var encoded: Data {
        var body = TPMWriter()
        body.integer(code.rawValue)
        for handle in handles { body.integer(handle) }
        if !authorizations.isEmpty {
            var area = TPMWriter()
            for authorization in authorizations {
                switch authorization {
                case .emptyPassword: area.integer(Self.passwordSession)
                case .policy(let session): area.integer(session)
                }
                area.sized(Data())
                // A policy session ends with the command it is used for.
                area.integer(UInt8(0))
                area.sized(Data())
            }
            body.integer(UInt32(area.data.count))
            body.octets(area.data)
        }
        body.octets(parameters)
        var whole = TPMWriter()
        whole.integer(authorizations.isEmpty ? Self.withoutSessions : Self.withSessions)
        whole.integer(UInt32(body.data.count + 6))
        whole.octets(body.data)
        return whole.data
    }
}

/// Handles that every TPM has.
enum TPMHierarchy {
    static let owner: UInt32 = 0x4000_0001
    static let none: UInt32 = 0x4000_0007
    static let endorsement: UInt32 = 0x4000_000b
}
