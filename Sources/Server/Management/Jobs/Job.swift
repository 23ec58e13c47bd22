package import Foundation
package import InputBounds

/// Work that takes longer than a request may: asked for, done part by part, looked at meanwhile, and ended before its time
/// if need be.
///
/// A value in the store, written after each part: a server that is killed goes on from the part it was at.
package struct Job: Sendable, Equatable {
    /// How many that have not ended there are at most.
    package static let mostOpen = 20
    /// How often a server may end at the same part before the job is given up: the part may be what ends it.
    package static let mostStandstills = 3

    package enum Kind: String, Sendable, CaseIterable {
        case auditVerification = "audit.verification"
        /// Many devices are put into a group.
        case groupDevices = "group.devices"
        /// A command is queued for every device of a group.
        case groupCommand = "group.command"

        /// How many of the kind may be open: one verification reads the whole audit log for everybody.
        var mostOpen: Int {
            switch self {
            case .auditVerification: 1
            case .groupDevices, .groupCommand: Job.mostOpen
            }
        }
    }

    package enum State: String, Sendable, CaseIterable {
        case waiting
        case running
        case done
        case failed
        case cancelled

        package var isOpen: Bool { self == .waiting || self == .running }
    }

    package let id: String
    package let kind: Kind
    package let author: String
    package let created: Date
    /// What is asked for, as its kind reads it.
    package let request: JSONValue
    package var state = State.waiting
    /// The run of the server that works on it.
    package var owner: String?
    /// How often another run of the server took it over.
    package var resumed = 0
    /// Take-overs since a part was last finished.
    package var standstills = 0
    package var progress = JobProgress()
    /// Where its kind goes on.
    package var place: Data?
    package var result: JSONValue?
    package var problem: String?
    package var started: Date?
    package var ended: Date?

    package init(id: String, kind: Kind, author: String, created: Date, request: JSONValue) {
        self.id = id
        self.kind = kind
        self.author = author
        self.created = created
        self.request = request
    }

    /// The permission that the requester needs as long as the job runs.
    var permission: Permission {
        switch kind {
        case .auditVerification: .audit
        case .groupDevices: .manage
        case .groupCommand: GroupCommand.permission(of: request)
        }
    }

    /// Seconds from the beginning of a part to the next one at the earliest.
    func pause(after step: JobStep) -> TimeInterval {
        guard kind == .groupCommand, case .part(let reached, _) = step else { return 0 }
        return GroupCommand.pause(after: reached.done - progress.done, of: request)
    }

    /// A run of the server begins it, or goes on with what another run had begun.
    package mutating func take(by generation: String, now: Date) {
        guard state.isOpen, owner != generation else { return }
        if state == .running {
            resumed += 1
            standstills += 1
        }
        started = started ?? now
        owner = generation
        state = .running
        guard standstills >= Self.mostStandstills else { return }
        end(.failed, now: now)
        problem = "The server ended \(standstills) times at the same part of it."
    }

    /// What came of a part; of no effect once it has ended, or belongs to another run.
    package mutating func finish(_ step: JobStep, by generation: String, now: Date) {
        guard state == .running, owner == generation else { return }
        standstills = 0
        switch step {
        case .part(let progress, let place):
            self.progress = progress
            self.place = place
        case .done(let progress, let result):
            self.progress = progress
            self.result = result
            end(.done, now: now)
        case .failed(let problem):
            self.problem = problem
            end(.failed, now: now)
        }
    }

    package mutating func cancel(now: Date) {
        guard state.isOpen else { return }
        end(.cancelled, now: now)
    }

    private mutating func end(_ state: State, now: Date) {
        self.state = state
        ended = now
        place = nil
    }
}

/// How far a job is.
package struct JobProgress: Sendable, Equatable {
    package var done: Int
    /// All that there is to do, as far as that is known.
    package var total: Int

    package init(done: Int = 0, total: Int = 0) {
        self.done = done
        self.total = total
    }
}

/// What came of a part of a job.
package enum JobStep: Sendable, Equatable {
    case part(JobProgress, place: Data)
    case done(JobProgress, result: JSONValue)
    case failed(String)
}
