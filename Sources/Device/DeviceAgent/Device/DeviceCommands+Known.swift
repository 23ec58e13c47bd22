import DeviceMessages
import Foundation

extension DeviceCommands {
    /// A command that this device knows: the right that it needs, and what executing it does.
    ///
    /// Most commands change the agent's state and nothing else, in one change with their answer. One that acts outside of the
    /// state is recorded before it acts, as a command that came to no end: so it acts once, and an agent that ends meanwhile
    /// says so when it starts again.
    package struct Known: Sendable {
        /// Changes the state, and says what is answered.
        typealias Change = @Sendable (DeviceCommands, Command, inout AgentState) -> Outcome

        /// Acts outside of the state, and returns the answer.
        typealias Action = @Sendable (Session, Command) async throws -> CommandReport

        /// Puts what the command needs beside the state where its change finds it; nothing of that is an effect.
        typealias Preparation = @Sendable (Session, Command, inout DeviceCommands) async throws -> Void

        /// How it is executed.
        enum Execution: Sendable {
            case change(Change)
            case action(Action)
        }

        /// The access right that the enrollment must grant, if it needs one.
        let right: Int?
        let execution: Execution
        /// Whether it may take something from an app: then what no longer serves leaves the disk with its change.
        private(set) var withdraws = false
        /// The contents that it brings, by their digests.
        private(set) var contents: @Sendable (Command) -> [String: Data] = { _ in [:] }
        private(set) var prepare: Preparation = { _, _, _ in }

        private init(right: Int?, execution: Execution) {
            self.right = right
            self.execution = execution
        }

        /// A command that changes the agent's state and nothing else.
        init(needs right: Int? = nil, run: @escaping Change) { self.init(right: right, execution: .change(run)) }

        /// A command that acts outside of the agent's state.
        ///
        /// `preparing`, `withdrawing` and `bringing` are for changes of the state: they do nothing here.
        static func acting(needs right: Int? = nil, _ action: @escaping Action) -> Known {
            Known(right: right, execution: .action(action))
        }

        /// The same, which needs something beside the state.
        func preparing(_ prepare: @escaping Preparation) -> Known {
            var command = self
            command.prepare = prepare
            return command
        }

        /// The same, which may take something from an app.
        func withdrawing() -> Known {
            var command = self
            command.withdraws = true
            return command
        }

        /// The same, which brings contents.
        func bringing(_ contents: @escaping @Sendable (Command) -> [String: Data]) -> Known {
            var command = self
            command.contents = contents
            return command
        }
    }
}
