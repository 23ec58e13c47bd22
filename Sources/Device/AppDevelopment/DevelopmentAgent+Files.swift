import AppMessages
import AppSpecification
import DeviceAgent
import Foundation
import Synchronization

/// The files beside the configurations: the specification and the secrets.
extension DevelopmentAgent {
    var specificationPath: String? {
        if let path = options.specification { return path }
        let places = [options.directory + "/specification.json", "specification.json"]
        return places.first { FileManager.default.fileExists(atPath: $0) }
    }

    func takeSpecification() {
        guard let path = specificationPath else { return state.withLock { $0.specification = nil } }
        do {
            let specification = try readSpecification(path)
            forget(path)
            state.withLock { $0.specification = specification }
        } catch {
            keep(path, error.rule)
        }
    }

    func readSpecification(_ path: String) throws(Unusable) -> AppSpecification {
        switch FoundFile.read(path, most: SpecificationLimits.bytes) {
        case nil: throw Unusable("there is no such file")
        case .refused(let why): throw Unusable(why)
        case .bytes(let data):
            let specification: AppSpecification
            do {
                specification = try AppSpecification(parsing: data)
            } catch {
                throw Unusable("this is no specification: \(error)")
            }
            guard specification.app.bundleIdentifier == options.app else {
                let other = specification.app.bundleIdentifier
                throw Unusable("this specification is of another app, \(other); here runs \(options.app)")
            }
            return specification
        }
    }

    /// Says why the program's directory could not be used as an app on a device, if it says that it is one.
    func noteUnusableDirectory() {
        guard let program = options.program else { return }
        do throws(UnusableApp) {
            _ = try AppCatalog.read((program as NSString).deletingLastPathComponent)
        } catch {
            var event = DevelopmentEvent(.finding, at: Date())
            event.file = "Info.plist"
            event.severity = "warning"
            event.message = "the program's directory is no app for a device: \(error.reason)"
            say(event)
        }
    }

    func takeSecrets() {
        guard let path = options.secrets else { return noteMissing() }
        let before = state.withLock { $0.secrets }
        do {
            let secrets = try SecretsFile(at: path)
            let hadComplaint = forget(path)
            state.withLock { $0.secrets = secrets }
            guard secrets.names != before.names || hadComplaint || state.withLock({ $0.generation == 0 }) else {
                return noteMissing()
            }
            var event = DevelopmentEvent(.secrets, at: Date())
            event.file = (path as NSString).lastPathComponent
            event.secrets = Dictionary(grouping: secrets.names.entries, by: \.kind.rawValue).mapValues(\.count)
            say(event)
        } catch {
            guard case .unprotected(let why) = error else { return keep(path, error.rule) }
            // Others may have read the secrets, so the app gets none until the file is protected.
            state.withLock { $0.secrets = .none }
            guard complain(path, why) else { return }
            var event = DevelopmentEvent(.secrets, at: Date())
            event.file = (path as NSString).lastPathComponent
            event.message = why
            say(event)
        }
        noteMissing()
    }

    /// Says which secrets the app cannot do without and does not get.
    private func noteMissing() {
        let missing = state.withLock { state -> [String] in
            let there = state.secrets.names.entries.compactMap { entry in
                SpecifiedSecret.Kind(rawValue: entry.kind.rawValue).map { (kind: $0, identifier: entry.identifier) }
            }
            let wanted = state.specification?.of(options.target)?.missing(among: there) ?? []
            let texts = wanted.map {
                "the specification asks for the \($0.kind.rawValue) \($0.identifier), which is not among the secrets"
            }
            defer { state.missing = texts }
            return texts == state.missing ? [] : texts
        }
        for text in missing {
            var event = DevelopmentEvent(.missingSecret, at: Date())
            event.message = text
            say(event)
        }
    }

    func keep(_ path: String, _ why: String) {
        guard complain(path, why) else { return }
        var event = DevelopmentEvent(.kept, at: Date())
        event.file = (path as NSString).lastPathComponent
        event.message = why
        say(event)
    }

    /// Whether that was not said already.
    private func complain(_ path: String, _ why: String) -> Bool {
        state.withLock { state in
            defer { state.said[path] = why }
            return state.said[path] != why
        }
    }

    @discardableResult
    func forget(_ path: String) -> Bool { state.withLock { $0.said.removeValue(forKey: path) != nil } }
}
