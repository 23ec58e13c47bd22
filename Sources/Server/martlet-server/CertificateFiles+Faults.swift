import Foundation
import ServerHTTP

extension CertificateFiles {
    /// What is wrong with the operator's certificate at a time, a line for each; clients connect by the names.
    func faults(for names: [String], now: Date) -> [String] {
        let loaded: LoadedCertificate
        do throws(UnusableCertificate) { loaded = try load(hostnames: names) } catch { return [error.rule] }
        var faults: [String] = []
        if loaded.begin > now {
            faults.append("\(certificate) is not valid before \(loaded.begin.formatted(.iso8601))")
        }
        if loaded.end <= now { faults.append("\(certificate) has ended, on \(loaded.end.formatted(.iso8601))") }
        if !loaded.uncovered.isEmpty {
            faults.append(
                "\(certificate) lacks names of the server: \(loaded.uncovered.joined(separator: ", ")). Clients that "
                    + "connect by such a name refuse the server: have a certificate issued for all names, or name with "
                    + "--hostname and --url only those that it has")
        }
        return faults
    }
}
