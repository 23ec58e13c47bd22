import InputBounds
package import JSONSchema

/// What has to be done to make a server match a directory: worked out from both, and nothing else.
package struct Plan: Sendable, Equatable {
    package enum Change: String, Sendable, Codable {
        case create, change, remove
    }

    /// One change, which is one call of the API and one entry of the audit log.
    package struct Step: Sendable, Equatable {
        package let thing: FleetThing
        package let change: Change
        package let differences: [KeyDifference]
        /// What the server has now by its own word: the change holds for that alone.
        package var tag: String?
    }

    /// In the order in which they can succeed: what others need first, and what needs others goes first.
    package private(set) var steps: [Step] = []
    package private(set) var unchanged: [FleetThing] = []
    /// What the directory does not have, and what stays because nothing is to be removed.
    package private(set) var kept: [FleetThing] = []
    /// Why it cannot be done.
    package private(set) var faults: [String] = []

    package init(from state: FleetState, to wish: FleetWish, prune: Bool) {
        for (thing, wanted) in wish.items.sorted(by: { $0.key < $1.key }) {
            add(thing, state[thing], wanted)
        }
        // A group that goes does so with its rule: taken away before, it would leave the devices in the group.
        let surplus = state.keys.filter { thing in
            guard wish.items[thing] == nil && wish.covers(thing) else { return false }
            guard case .groupRule(let group) = thing else { return true }
            return wish.items[.group(group)] != nil
        }
        if prune {
            steps += surplus.sorted(by: >).map { thing in
                Step(thing: thing, change: .remove, differences: [], tag: state[thing]?.tag)
            }
        } else {
            // An app that stays does so with all that is its own.
            let apps = Set(surplus.filter { $0.kind == .app }.compactMap(\.app))
            kept = surplus.filter { $0.kind == .app || !apps.contains($0.app ?? "") }.sorted()
        }
        orderRules()
        let gone = prune ? Set(surplus) : []
        for (thing, item) in wish.items.sorted(by: { $0.key < $1.key }) {
            for need in item.needs where wish.items[need] == nil && (state[need] == nil || gone.contains(need)) {
                faults.append("\(thing): the \(need) is neither in the directory nor on the server")
            }
            guard thing.kind == .expectedDevice, case .group(let group)? = item.needs.first else { continue }
            let rule = FleetThing.groupRule(group: group)
            if wish.items[rule] != nil || (state[rule] != nil && !gone.contains(rule)) {
                faults.append(
                    "\(thing): the group \(Printable.line(group)) has a rule, so devices cannot be added by hand")
            }
        }
    }

    package var isEmpty: Bool { steps.isEmpty }

    package func count(_ change: Change) -> Int { steps.count { $0.change == change } }

    /// Notes by which word of the server a change holds.
    package mutating func hold(_ thing: FleetThing, by tag: String) {
        guard let index = steps.firstIndex(where: { $0.thing == thing }) else { return }
        steps[index].tag = tag
    }

    /// A group takes devices by hand only while it has no rule: what goes, goes before they are put in; what comes, comes
    /// when they are out.
    private mutating func orderRules() {
        let rules = steps.filter { $0.thing.kind == .groupRule }
        steps =
            rules.filter { $0.change == .remove } + steps.filter { $0.thing.kind != .groupRule }
            + rules.filter { $0.change != .remove }
    }

    private mutating func add(_ thing: FleetThing, _ present: FleetItem?, _ wanted: FleetItem) {
        guard let present else {
            let all = KeyDifference.all(from: .dictionary([:]), to: wanted.facts)
            steps.append(Step(thing: thing, change: .create, differences: all))
            return
        }
        var before = present.facts
        if thing.kind == .secret {
            if present.facts["kind"] != wanted.facts["kind"] {
                faults.append("\(thing): a secret stays of the kind it was made; give the new one another name")
            }
            // Without a marker the directory accepts any value that is there.
            if wanted.facts["marker"] == nil { before = wanted.facts }
        }
        let differences = KeyDifference.all(from: before, to: wanted.facts)
        if differences.isEmpty {
            unchanged.append(thing)
        } else {
            steps.append(Step(thing: thing, change: .change, differences: differences, tag: present.tag))
        }
    }
}
