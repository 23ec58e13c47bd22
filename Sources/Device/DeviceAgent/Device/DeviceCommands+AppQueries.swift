import DeviceMessages
import Foundation
import InputBounds

/// The commands that query apps managed by command; the answers leave all other apps out.
extension DeviceCommands {
    /// The most bytes of what an answer tells of apps' dictionaries: answers are kept until several others were given.
    package static let largestAnswer = 524_288

    /// Answers a question.
    ///
    /// Feedback that is to be deleted counts as told from the moment its answer is kept.
    func answer(_ command: Command, _ state: inout AgentState) -> CommandReport {
        guard let query = try? AppQuery(command.request) else { return malformed(command, state) }
        switch query.kind {
        case .list: return list(query, command, state)
        case .attributes: return attributes(query, command, state)
        case .configuration: return configurations(query, command, state)
        case .feedback: return feedbackAnswer(query, command, &state)
        case .validate:
            return refused(
                command, state, 12_031,
                "This device has no provisioning profiles to validate: an app's signature is verified when it is installed."
            )
        }
    }

    /// The apps that hand over what they counted before a command is answered: those of which nothing waits already.
    func appsToHandOver(for command: Command, _ state: AgentState) -> [String] {
        guard command.requestType == AppQuery.Kind.feedback.rawValue, has(AccessRights.apps),
            let query = try? AppQuery(command.request), query.deletesFeedback
        else { return [] }
        return asked(query, state).map { $0.bundle }.filter { bundle in
            let known = feedback(bundle).without(state.answeredLives)
            return known.waiting.isEmpty && known.present != nil
        }
    }

    /// The apps that are meant and managed by command, each once.
    private func asked(_ query: AppQuery, _ state: AgentState) -> [(bundle: String, app: CommandedApp)] {
        var seen: Set<String> = []
        var found: [(bundle: String, app: CommandedApp)] = []
        for bundle in query.identifiers ?? state.commanded.keys.sorted() {
            guard state.applied.apps[bundle] == nil, let app = state.commanded[bundle], seen.insert(bundle).inserted
            else { continue }
            found.append((bundle, app))
        }
        return found
    }

    private func list(_ query: AppQuery, _ command: Command, _ state: AgentState) -> CommandReport {
        let listed = apps(state)
        var entries: [String: PropertyListValue] = [:]
        for (bundle, app) in asked(query, state) {
            let one = listed.first { $0.bundleIdentifier == bundle }
            entries[bundle] = .dictionary([
                "Status": .string(state.commandWord(for: bundle, one)),
                "ManagementFlags": .integer(Int64(app.flags)),
                "HasConfiguration": .boolean(app.configuration != nil),
                "HasFeedback": .boolean(!feedback(bundle).without(state.answeredLives).isEmpty),
                // A package that is not signed by a known team is not installed.
                "IsValidated": .boolean(true),
                "ExternalVersionIdentifier": .integer(0),
            ])
        }
        return acknowledged(command, state, ["ManagedApplicationList": .dictionary(entries)])
    }

    private func attributes(_ query: AppQuery, _ command: Command, _ state: AgentState) -> CommandReport {
        let items = asked(query, state).map { bundle, app in
            var item: [String: PropertyListValue] = ["Identifier": .string(bundle)]
            item["Attributes"] = app.attributeValues
            return PropertyListValue.dictionary(item)
        }
        return acknowledged(command, state, ["ApplicationAttributes": .array(items)])
    }

    private func configurations(_ query: AppQuery, _ command: Command, _ state: AgentState) -> CommandReport {
        var room = Self.largestAnswer
        var items: [PropertyListValue] = []
        for (bundle, app) in asked(query, state) {
            var item: [String: PropertyListValue] = ["Identifier": .string(bundle)]
            if let digest = app.configuration {
                guard let bytes = content(digest),
                    let value = try? PropertyListValue(parsing: bytes, limits: AppCommandBounds.dictionary)
                else { return refused(command, state, 12_032, "The configuration of an app cannot be read.") }
                room -= bytes.count
                guard room >= 0 else {
                    return refused(
                        command, state, 12_033,
                        "The configurations have more than \(Self.largestAnswer) bytes together: name fewer apps.")
                }
                item["Configuration"] = value
            }
            items.append(.dictionary(item))
        }
        return acknowledged(command, state, ["ApplicationConfigurations": .array(items)])
    }

    /// The oldest feedback that waits of each app, which counts as told from then on; without deletion what is known now.
    ///
    /// Feedback that does not fit into the answer waits for a later command.
    private func feedbackAnswer(_ query: AppQuery, _ command: Command, _ state: inout AgentState) -> CommandReport {
        var room = Self.largestAnswer
        var items: [PropertyListValue] = []
        for (bundle, _) in asked(query, state) {
            var item: [String: PropertyListValue] = ["Identifier": .string(bundle)]
            let known = feedback(bundle).without(state.answeredLives)
            if let told = query.deletesFeedback ? known.waiting.first : known.present ?? known.waiting.first,
                let entries = try? AppFeedbackStatus.dictionary(told.feedback)
            {
                let value = PropertyListValue.dictionary(entries)
                let left = room - Self.size(of: value, atMost: room)
                if left > 0 {
                    room = left
                    item.merge(told.answer(value)) { own, _ in own }
                    if query.deletesFeedback { state.answeredLives.insert(told.life) }
                }
            }
            items.append(.dictionary(item))
        }
        return acknowledged(command, state, ["ManagedApplicationFeedback": .array(items)])
    }

    /// About how many bytes a value takes as XML; counting ends once there are more than `most`.
    ///
    /// A small binary property list may be a very large one in XML.
    private static func size(of value: PropertyListValue, atMost most: Int) -> Int {
        var size = 48
        switch value {
        case .string(let text): size += text.utf8.count * 5
        case .data(let bytes): size += bytes.count * 3 / 2
        case .array(let items):
            for item in items where size <= most { size += Self.size(of: item, atMost: most - size) }
        case .dictionary(let entries):
            for (key, entry) in entries where size <= most {
                size += 48 + key.utf8.count * 5 + Self.size(of: entry, atMost: most - size)
            }
        case .integer, .unsigned, .real, .boolean, .date: break
        }
        return size
    }
}

extension AppFeedbackStatus {
    /// What an answer says of a life, beside the app's name: the dictionary, and keys of our own.
    fileprivate func answer(_ feedback: PropertyListValue) -> [String: PropertyListValue] {
        [
            "Feedback": feedback, "MartletLife": .string(life), "MartletConfiguration": .string(configuration),
            "MartletFrom": .date(from), "MartletTo": .date(to), "MartletRefused": .integer(Int64(refused)),
        ]
    }
}
