import Attestation
import Foundation

/// A number in the chip that only ever rises, even when it is removed and made anew.
package struct TPMCounter: Sendable, Hashable {
    /// Its place in the chip's memory, among those left to the owner.
    package let index: UInt32

    package init(index: UInt32) {
        precondition((0x0180_0000...0x01bf_ffff).contains(index), "an index of the owner's")
        self.index = index
    }
}

extension TPM {
    /// Raises the counter, which is made where there is none, and returns its new value.
    package func increment(_ counter: TPMCounter) async throws(TPMFailure) -> UInt64 {
        try await perform { connection throws(TPMFailure) in try connection.increment(counter) }
    }

    /// The counter's value; `nil` where there is none.
    package func value(of counter: TPMCounter) async throws(TPMFailure) -> UInt64? {
        try await perform { connection throws(TPMFailure) in try connection.valueIfThere(of: counter) }
    }
}

extension TPMConnection {
    // TPM_RC_HANDLE for the first handle.
    private static let noSuchHandle: UInt32 = 0x18b

    func increment(_ counter: TPMCounter) throws(TPMFailure) -> UInt64 {
        let command = TPMCommand(
            .nvIncrement, handles: [counter.index, counter.index], authorizations: [.emptyPassword])
        do throws(TPMFailure) {
            _ = try run(command)
        } catch .refused(Self.noSuchHandle) {
            try define(counter)
            _ = try run(command)
        }
        return try value(of: counter)
    }

    func valueIfThere(of counter: TPMCounter) throws(TPMFailure) -> UInt64? {
        do throws(TPMFailure) {
            return try value(of: counter)
        } catch .refused(Self.noSuchHandle) {
            return nil
        }
    }
}

extension TPMConnection {
    fileprivate func value(of counter: TPMCounter) throws(TPMFailure) -> UInt64 {
        do {
            var reader = try TPMReader(try read(index: counter.index))
            let value = try reader.integer(UInt64.self)
            try reader.finish()
            return value
        } catch let failure as TPMFailure {
            throw failure
        } catch {
            throw .malformed
        }
    }

    fileprivate func define(_ counter: TPMCounter) throws(TPMFailure) {
        // A counter, written and read with its own password, which is empty; wrong ones do not lock the chip.
        let attributes: UInt32 = 1 << 4 | 1 << 2 | 1 << 18 | 1 << 25
        var place = TPMWriter()
        place.integer(counter.index)
        place.integer(TPMHash.sha256.rawValue)
        place.integer(attributes)
        place.sized(Data())
        place.integer(UInt16(8))
        var writer = TPMWriter()
        writer.sized(Data())
        writer.sized(place.data)
        _ = try run(
            TPMCommand(
                .nvDefineSpace, handles: [TPMHierarchy.owner], authorizations: [.emptyPassword],
                parameters: writer.data))
    }

    /// Reads all of a place in the chip's memory.
    func read(index: UInt32) throws(TPMFailure) -> Data {
        var description = try run(TPMCommand(.nvReadPublic, handles: [index])).parameters
        let size = try description.buffer().suffix(2).reduce(0) { $0 << 8 | Int($1) }
        guard size <= 4_096 else { throw .malformed }
        var found = Data()
        while found.count < size {
            var writer = TPMWriter()
            // What every chip reads at once.
            writer.integer(UInt16(min(512, size - found.count)))
            writer.integer(UInt16(found.count))
            var answer = try run(
                TPMCommand(
                    .nvRead, handles: [index, index], authorizations: [.emptyPassword], parameters: writer.data)
            ).parameters
            let piece = try answer.buffer()
            guard !piece.isEmpty else { throw .malformed }
            found += piece
        }
        return found
    }
}
