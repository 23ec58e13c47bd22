import AppPackages
import Foundation

extension PackageReport {
    /// The report for people; of the files the largest, or all.
    func text(all: Bool) -> String {
        [facts, extensionTable, entitlementFacts, fileTable(all: all), warningText]
            .filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private var facts: String {
        var facts = Facts()
        facts.add("app", bundleIdentifier)
        facts.add("name", name)
        facts.add("version", shortVersion == version ? version : "\(shortVersion) (\(version))")
        facts.add("executable", executable)
        facts.add("desktop entry", desktopEntry)
        facts.add("oldest system", minimumOSVersion)
        facts.add("oldest agent", minimumAgentVersion)
        if let signer {
            facts.add("team", signer.team)
            facts.add("signed by", (signer.name ?? "?") + ", until " + signer.notAfter.shown)
            facts.add("certificate", "SHA-256 " + signer.sha256)
            facts.add("judged", trusted ? "the signature is that of a trusted team" : "no; --trust says by whom")
        } else {
            facts.add("signed by", "nobody")
        }
        facts.add("specification", specificationSize.map { Size.text(UInt64($0)) })
        facts.add("size", "\(Size.text(packageSize)), unpacked \(Size.text(unpackedSize)) in \(files.count) files")
        return facts.text
    }

    private var extensionTable: String {
        var table = Table("EXTENSION", "KIND", "EXECUTABLE", "RESTRICTED")
        for item in extensions {
            table.add(item.bundleIdentifier, item.kind, item.executable, item.restricted ? "yes" : "no")
        }
        return extensions.isEmpty ? "" : table.text(bold: Terminal.mayStyle, within: Terminal.columns)
    }

    private var entitlementFacts: String {
        var table = Table("ENTITLEMENT", "VALUE")
        for (key, value) in entitlements.sorted(by: { $0.key < $1.key }) { table.add(key, value.text) }
        return entitlements.isEmpty ? "" : table.text(bold: Terminal.mayStyle, within: Terminal.columns)
    }

    private func fileTable(all: Bool) -> String {
        let shown = all ? files : Array(files.prefix(20))
        var table = Table("SIZE", "MODE", "FILE")
        for file in shown { table.add(Size.text(file.size), file.executable ? "executable" : "", file.path) }
        let rest = files.count - shown.count
        return table.text(bold: Terminal.mayStyle, within: Terminal.columns)
            + (rest > 0 ? "\n… and \(rest) smaller ones: --all" : "")
    }

    private var warningText: String {
        guard !warnings.isEmpty else { return "" }
        return "What could be less:\n"
            + warnings.map { warning in
                let subject = warning.file.map { "\(Printable.line($0)) (\(Size.text(warning.size))) " } ?? ""
                return "  " + subject + warning.advice
            }.joined(separator: "\n")
    }
}
