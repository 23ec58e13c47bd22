import AdminMessages
import AppSpecification
import Foundation
import InputBounds

/// What stands in an app's folder.
extension FleetDirectory {
    mutating func read(app: String) throws {
        let folder = "apps/\(app)/"
        guard files.isFolder(folder) else {
            throw Failure(.refused, "\(Printable.line("apps/" + app)) has no place in the directory: apps are folders")
        }
        let names = try files.names(in: folder)
        try requireKnown(
            names, documents: ["app", "specification", "sources", "assignments"],
            folders: ["specifications", "configurations"], in: folder)
        guard let document = try FleetDocument.read(folder + "app", in: &files, names) else {
            throw Failure(.refused, "\(Printable.line(folder))app.json is missing: it says what the app is called")
        }
        let entry = try document.decoded(AppEntry.self, members: ["name", "teamIdentifier"])
        let value = App(bundleIdentifier: app, name: entry.name, teamIdentifier: entry.teamIdentifier)
        try add(.app(app), FleetItem(try FleetFacts.of(entry)), try AdminJSON.encode(value))
        let newest = try readSpecifications(of: app, names)
        try readConfigurations(of: app, newest)
        try readSources(of: app, names)
        try readAssignments(of: app, names)
    }

    /// Reads what the app publishes, and answers with the newest.
    private mutating func readSpecifications(of app: String, _ names: [String]) throws -> AppSpecification? {
        var newest: (version: String, specification: AppSpecification)?
        let folder = "apps/\(app)/"
        var paths = names.filter { $0 == "specification.json" }.map { folder + $0 }
        guard !names.contains("specification.plist") else {
            throw Failure(.refused, "\(Printable.line(folder))specification.plist: a specification is JSON")
        }
        for name in try files.names(in: folder + "specifications") {
            guard name.hasSuffix(".json") else {
                throw Failure(.refused, "\(Printable.line(folder))specifications: each is VERSION.json")
            }
            paths.append(folder + "specifications/" + name)
        }
        for path in paths {
            let bytes = try files.read(path, upTo: SpecificationLimits.bytes)
            let specification: AppSpecification
            do {
                specification = try AppSpecification(parsing: bytes)
            } catch {
                throw Failure(.refused, "\(Printable.line(path)) is no specification: \(error)")
            }
            let file = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
            let named = path.contains("/specifications/") ? file : nil
            guard let version = named ?? specification.app.version else {
                throw Failure(.refused, "\(Printable.line(path)) does not say of which version of the app it is")
            }
            if newest.map({ $0.version.compare(version, options: .numeric) == .orderedAscending }) ?? true {
                newest = (version, specification)
            }
            let canonical = specification.canonical()
            try add(
                .specification(app: app, version: version), FleetItem(FleetFacts.digest(of: canonical)), canonical)
        }
        return newest?.specification
    }

    private mutating func readConfigurations(of app: String, _ specification: AppSpecification?) throws {
        let published = PublishedKeys(specification)
        let folder = "apps/\(app)/configurations"
        for file in try files.names(in: folder) {
            let path = "\(folder)/\(file)"
            guard let form = DocumentForm(rawValue: (file as NSString).pathExtension) else {
                throw Failure(.refused, "\(Printable.line(path)): a configuration is NAME.plist or NAME.json")
            }
            let bytes = try files.read(path, upTo: 8 << 20)
            let thing = FleetThing.configuration(app: app, name: (file as NSString).deletingPathExtension)
            let document: ConfigurationDocument
            do throws(Failure) {
                if form == .json {
                    let value = try ConfigurationDocument.json(bytes)
                    document = try ConfigurationDocument(value, keys: published.keys(for: value))
                    if specification == nil { wish.undated[thing] = value }
                } else {
                    document = try ConfigurationDocument(reading: bytes, as: form)
                }
            } catch let failure {
                throw Failure(failure.status, "\(Printable.line(path)): \(failure.reason)", advice: failure.advice)
            }
            let facts = try PropertyListValue(parsing: document.bytes, limits: .configuration)
            try add(thing, FleetItem(facts), document.bytes)
        }
    }

    private mutating func readSources(of app: String, _ names: [String]) throws {
        let path = "apps/\(app)/sources"
        guard let document = try FleetDocument.read(path, in: &files, names) else { return }
        for source in try document.list(SourceEntry.self, members: SourceEntry.members) {
            try add(
                .source(app: app, platform: source.platform, origin: source.origin), FleetItem(try source.facts()),
                try AdminJSON.encode(source.request))
        }
    }

    private mutating func readAssignments(of app: String, _ names: [String]) throws {
        let path = "apps/\(app)/assignments"
        guard let document = try FleetDocument.read(path, in: &files, names) else { return }
        let entries = try document.list(
            AssignmentEntry.self, members: AssignmentEntry.members,
            inner: ["secrets": AssignmentEntry.GivenSecret.members])
        for entry in entries {
            let configurations =
                (entry.request.configuration.map { [$0] } ?? []) + (entry.request.extensions ?? [:]).values.sorted()
            try add(
                .assignment(group: entry.group, app: app),
                FleetItem(
                    try entry.facts(),
                    needs: [.group(entry.group)] + configurations.map { .configuration(app: app, name: $0) }),
                try AdminJSON.encode(entry.request))
            for secret in entry.secrets ?? [] {
                try add(
                    secret.thing(group: entry.group, app: app),
                    FleetItem(.dictionary(["secret": .string(secret.secret)]), needs: [.secret(secret.secret)]),
                    try AdminJSON.encode(SecretAssignmentRequest(secret: secret.secret)))
            }
        }
    }
}
