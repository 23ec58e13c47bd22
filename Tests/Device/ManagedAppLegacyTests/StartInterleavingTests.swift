import AppMessages
import Foundation
import ManagedApp
import ManagedAppLegacy
import Synchronization
import Testing

/// An app registers its observer and then reads, while its agent speaks: every order of their steps, none slept for.
///
/// The link is the real one, and takes the agent's news in its own steps, `NewsStep`. Its threads are steps here. A
/// read before the first answer is one whose patience has ended at that moment; one that waits reads after it.
struct StartInterleavingTests {
    private enum Step {
        /// The process waits for its agent, before `main`: what reads the argument domain cannot wait later.
        case link
        /// The app, in this order.
        case observe, read
        /// The agent says the configuration of this number, 0 for none.
        case agent(Int, NewsStep)
        /// The thread of the notices takes what is due, and posts it to those that observe by then; or both at once.
        case takeNotice, post, tell
        /// Another thread changes what is known of the feedback, and announces whatever news there is.
        case look
    }

    /// S0-CFG-06: by its read or by a notification after it, the app ends with the newest dictionary.
    ///
    /// Red where a reader gives up before that is known: the answer that comes next is taken for one that it waits for.
    ///
    /// Only a single word of the agent shows that: a second one is news in any case.
    @Test(arguments: [([1], 630), ([1, 0], 3_780), ([0, 1], 3_780)])
    func whoObservesAndThenReadsKnowsAnUpdate(_ numbers: [Int], _ orders: Int) {
        let lanes: [[Step]] = [[.observe, .read], says(numbers, .standardObject), [.takeNotice, .post], [.look]]
        #expect(check(.standardObject, lanes, last: numbers.last) == orders)
    }

    @Test func whoObservesAndThenReadsKnowsTheSecondOfTwoUpdates() {
        let lanes: [[Step]] = [[.observe, .read], says([1, 2, 3], .standardObject), [.takeNotice, .post]]
        #expect(check(.standardObject, lanes, last: 3) == 1_260)
    }

    /// Red where the arguments are set after the configuration is known: the process begins without them, or another
    /// thread announces them before they are there.
    @Test func whoReadsTheArgumentDomainKnowsAnUpdate() {
        let lanes: [[Step]] = [[.link, .observe, .read], says([1, 2], .argumentDomain), [.tell], [.look]]
        #expect(check(.argumentDomain, lanes, last: 2) == 9_240)
    }

    /// The agent's words, one after the other, in the steps that do something in this way.
    private func says(_ numbers: [Int], _ way: DefaultsLink.Way) -> [Step] {
        numbers.flatMap { number in
            NewsStep.allCases.filter { way == .argumentDomain || $0 != .putArguments }.map { Step.agent(number, $0) }
        }
    }

    /// Starts an app in each order of the lanes' steps; answers how many orders there were.
    private func check(_ way: DefaultsLink.Way, _ lanes: [[Step]], last: Int?) -> Int {
        let states = (0...3).map { told(configuration: $0 > 0 ? ["n": $0] : nil) }
        var orders = 0
        var wrong: [String] = []
        forEachOrder(of: lanes) { order in
            orders += 1
            let start = Start(way, states)
            for step in order { start.take(step) }
            start.tellWhatIsDue()
            if start.seen != last { wrong.append("\(start.seen ?? -1) after \(order)") }
        }
        #expect(wrong.count == 0, "of \(orders), as \(wrong.first ?? "")")
        return orders
    }

    /// Every order of all steps in which each lane's own keep theirs.
    private func forEachOrder(of lanes: [[Step]], after order: [Step] = [], _ body: ([Step]) -> Void) {
        var isDone = true
        for index in lanes.indices {
            guard let step = lanes[index].first else { continue }
            isDone = false
            var rest = lanes
            rest[index].removeFirst()
            forEachOrder(of: rest, after: order + [step], body)
        }
        if isDone { body(order) }
    }

    /// What the link does to its process.
    private final class Effects: Sendable {
        private struct State {
            var argument = 0
            var isDue = false
        }

        private let state = Mutex(State())

        func put(_ configuration: ParsedDictionary?) {
            let number = StartInterleavingTests.number(of: configuration)
            state.withLock { $0.argument = number }
        }

        func announce() { state.withLock { $0.isDue = true } }

        /// Whether there was a change to announce; it is announced now.
        func takeDue() -> Bool {
            state.withLock { state in
                defer { state.isDue = false }
                return state.isDue
            }
        }

        var argument: Int { state.withLock { $0.argument } }
    }

    /// A process whose app observes and reads.
    private final class Start {
        private let way: DefaultsLink.Way
        private let states: [DefaultsState]
        private let effects: Effects
        private let link: DefaultsLink
        private var observes = false
        private var isToPost = false
        /// The number that the app knows; nil before it has read.
        private(set) var seen: Int?

        init(_ way: DefaultsLink.Way, _ states: [DefaultsState]) {
            self.way = way
            self.states = states
            let effects = Effects()
            self.effects = effects
            link = DefaultsLink(
                origin: AgentLink.Origin(socket: nil, path: "/nonexistent/apps.sock", patience: .zero), way: way,
                put: { effects.put($0) }, announce: { effects.announce() })
        }

        func take(_ step: Step) {
            switch step {
            case .link: link.waitForAnswer()
            case .observe: observes = true
            case .read: read()
            case .agent(let number, let part): link.take(part, of: states[number])
            case .takeNotice: isToPost = effects.takeDue()
            case .post: post()
            case .tell:
                isToPost = effects.takeDue()
                post()
            case .look: link.passBy(elsewhere: false)
            }
        }

        /// The thread of the notices has its turn in the end.
        func tellWhatIsDue() {
            while effects.takeDue() {
                isToPost = true
                post()
            }
        }

        private func post() {
            if isToPost, observes { read() }
            isToPost = false
        }

        private func read() {
            switch way {
            case .standardObject: seen = StartInterleavingTests.number(of: link.configuration)
            case .argumentDomain: seen = effects.argument
            }
        }
    }

    private static func number(of configuration: ParsedDictionary?) -> Int {
        configuration?.dictionary["n"] as? Int ?? 0
    }
}
