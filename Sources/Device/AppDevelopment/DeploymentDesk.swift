package import AppSpecification
package import Foundation

/// What is deployed, and what the next look at the directory changes of it.
///
/// A file that cannot be used leaves the earlier content in place, as on a device, and is reported once.
package struct DeploymentDesk: Sendable {
    /// Something that a look at the directory has led to.
    package enum Change: Equatable, Sendable {
        case deployed(DeploymentTarget, file: String, findings: [ConfigurationFinding])
        case kept(file: String, why: String)
        case withdrawn(DeploymentTarget, file: String)
        /// A file that is not used, although its name is nearly that of the one that is missing.
        case unused(file: String, meant: String)
    }

    /// A configuration that is deployed.
    package struct Deployed: Equatable, Sendable {
        package let file: String
        package let bytes: Data
    }

    private let rules: DeploymentFiles
    package private(set) var deployed: [DeploymentTarget: Deployed] = [:]
    /// Which files could not be used, and why: it is not said again.
    private var complaints: [String: String] = [:]
    /// Files that were said to be unused.
    private var unused: Set<String> = []

    package init(_ rules: DeploymentFiles) { self.rules = rules }

    /// Takes what was found; answers what that changes, in the order of the files.
    package mutating func take(_ found: FoundDirectory, _ specification: AppSpecification? = nil) -> [Change] {
        var files: [DeploymentTarget: [String]] = [:]
        for name in found.files.keys.sorted() {
            if case .configuration(let target) = rules.role(of: name) { files[target, default: []].append(name) }
        }
        complaints = complaints.filter { found.files[$0.key] != nil }
        var changes: [Change] = []
        for (target, gone) in deployed.sorted(by: { $0.value.file < $1.value.file }) where files[target] == nil {
            deployed[target] = nil
            changes.append(.withdrawn(target, file: gone.file))
        }
        for (target, names) in files.sorted(by: { $0.value[0] < $1.value[0] }) {
            if let change = take(names, for: target, found, specification) { changes.append(change) }
        }
        let isSpecified = specification != nil || found.files[DeploymentFiles.specification] != nil
        return changes + takeUnused(found.others, isConfigured: files[rules.target] != nil, isSpecified: isSpecified)
    }

    /// Which files may be meant as what is missing.
    private mutating func takeUnused(_ others: Set<String>, isConfigured: Bool, isSpecified: Bool) -> [Change] {
        let changes = others.sorted().compactMap { name -> (file: String, meant: String)? in
            guard let meant = rules.meant(by: name) else { return nil }
            let isThere = meant == DeploymentFiles.specification ? isSpecified : isConfigured
            return isThere ? nil : (file: name, meant: meant)
        }
        let said = unused
        unused = Set(changes.map(\.file))
        return changes.filter { !said.contains($0.file) }.map { .unused(file: $0.file, meant: $0.meant) }
    }

    private mutating func take(
        _ names: [String], for target: DeploymentTarget, _ found: FoundDirectory, _ specification: AppSpecification?
    ) -> Change? {
        guard names.count == 1, let file = found.files[names[0]] else {
            return complain(names[0], "\(names.joined(separator: " and ")) are one configuration; keep one of them")
        }
        let specification = specification?.of(target)
        do {
            guard case .bytes(let data) = file else {
                if case .refused(let why) = file { return complain(names[0], why) }
                return nil
            }
            let configuration = try ConfigurationFile(data, named: names[0], specification)
            complaints[names[0]] = nil
            let new = Deployed(file: names[0], bytes: configuration.bytes)
            guard new != deployed[target] else { return nil }
            deployed[target] = new
            return .deployed(
                target, file: names[0], findings: specification?.findings(in: configuration.value) ?? [])
        } catch {
            return complain(names[0], error.rule)
        }
    }

    private mutating func complain(_ file: String, _ why: String) -> Change? {
        guard complaints[file] != why else { return nil }
        complaints[file] = why
        return .kept(file: file, why: why)
    }
}

extension AppSpecification {
    /// The specification of the app, or of one of its extensions.
    func of(_ target: DeploymentTarget) -> AppSpecification? {
        switch target {
        case .app: self
        case .extension(let identifier): extensions[identifier]
        }
    }
}
