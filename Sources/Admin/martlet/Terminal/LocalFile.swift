import AppPackages
import Foundation

/// A file of this machine that a command writes: it has its name only when it is whole.
///
/// Every command writes its files by this, so that all say alike why one cannot be written. A device or a pipe is written
/// to as it is.
struct LocalFile {
    private enum Place {
        case file(OutputFile)
        case device(OpenedDevice)
    }

    private let place: Place

    /// Begins a file; `mode` are the permissions that it gets at most.
    init(_ path: String, mode: UInt32 = 0o666, mayBeDevice: Bool = true) throws(Failure) {
        guard !mayBeDevice || !OpenedDevice.lies(at: path) else {
            place = .device(try OpenedDevice(path))
            return
        }
        do throws(PackageRefusal) {
            place = .file(try OutputFile(path: path, mode: mode))
        } catch {
            throw PackageWork.failure(error)
        }
    }

    /// Writes a whole file.
    static func write(
        _ bytes: Data, to path: String, mode: UInt32 = 0o666, replacing: Bool = true
    ) throws(Failure) {
        let file = try LocalFile(path, mode: mode, mayBeDevice: replacing)
        try file.write(bytes)
        try file.commit(replacing: replacing)
    }

    /// Adds to the file.
    func write(_ bytes: Data) throws(Failure) {
        switch place {
        case .device(let device): try device.write(bytes)
        case .file(let file):
            do throws(PackageRefusal) {
                try file.write([UInt8](bytes))
            } catch {
                throw PackageWork.failure(error)
            }
        }
    }

    /// Puts the file into its place, that of one that was there before included unless `replacing` is false.
    func commit(replacing: Bool = true) throws(Failure) {
        guard case .file(let file) = place else { return }
        do throws(PackageRefusal) {
            try file.commit(replacing: replacing)
        } catch {
            throw PackageWork.failure(error)
        }
    }
}

extension Failure {
    /// A file of this machine cannot be written, for the system's reason.
    static func unwritable(_ path: String, _ number: Int32?) -> Failure {
        let reason = number.map { ": \(unsafe String(cString: strerror($0)))" } ?? ""
        return Failure(.failed, "\(Printable.line(path)) cannot be written\(reason)")
    }
}
