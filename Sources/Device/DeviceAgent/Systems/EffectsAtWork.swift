import Foundation
package import Logging

/// Puts in effect what systems hold, one effect after the other, whether the server is there or not.
package struct EffectsAtWork: Sendable {
    /// How often it is looked whether everything still stands.
    private static let lookInterval = Duration.seconds(3_600)

    private let device: Device
    private let effects: [any SystemEffect]
    private let bell: InstallBell
    private let changed: @Sendable () -> Void
    private let disk = DiskRoom()
    private let log: Logger

    /// `bell` rings when systems may hold something else; `changed` is called when the server is to hear of it.
    package init(
        device: Device, effects: [any SystemEffect], bell: InstallBell, changed: @escaping @Sendable () -> Void,
        log: Logger
    ) {
        self.device = device
        self.effects = effects
        self.bell = bell
        self.changed = changed
        self.log = log
    }

    /// Works until the task is cancelled.
    package func run() async {
        var isFirst = true
        await bell.work {
            defer { isFirst = false }
            return await pass(isFirst: isFirst)
        }
    }

    /// Looks now and then whether everything still stands, until the task is cancelled.
    package func watch() async {
        while (try? await Task.sleep(for: Self.lookInterval)) != nil {
            if await !pass(isFirst: true) { bell.ring() }
        }
    }

    /// Does what is due; says whether all of it could be done.
    @discardableResult
    package func pass(isFirst: Bool = false) async -> Bool {
        var isDone = true
        for effect in effects {
            do {
                // All passes take turns on this queue, so that no other pass comes between a record and its effect.
                if try await disk.run({ try settle(effect, isFirst: isFirst) }) { changed() }
            } catch is CancellationError {
                return false
            } catch {
                isDone = false
                note(error, of: effect)
            }
        }
        return isDone
    }

    /// Returns whether anything was done.
    private func settle(_ effect: some SystemEffect, isFirst: Bool) throws -> Bool {
        let state = device.known
        let systems = state.applied.systems
        let form = systems.form(of: effect.name)
        let record: EffectRecord
        switch EffectStep.next(form, state.effects[effect.name], isFirst: isFirst) {
        case .nothing: return false
        case .look:
            guard (try? effect.stands(in: systems)) != true else { return false }
            log.warning(
                "what a system had put in effect was changed by something else and is put in effect again",
                metadata: ["system": "\(effect.name)"])
            record = EffectRecord(form: form)
        case .put(let next): record = next
        }
        try device.change { $0.effects[effect.name] = record }
        try effect.put(from: systems)
        try device.change { $0.effects[effect.name] = record.done }
        return true
    }

    private func note(_ error: any Error, of effect: some SystemEffect) {
        log.error(
            "a system could not be put in effect and is tried again",
            metadata: ["system": "\(effect.name)", "why": "\(error)"])
        do {
            let isNews = try device.change { state in
                guard let record = state.effects[effect.name] else { return false }
                state.effects[effect.name]?.failure = "\(error)"
                return record.failure == nil
            }
            if isNews { changed() }
        } catch {
            log.error("why a system is not in effect could not be kept", metadata: ["why": "\(error)"])
        }
    }
}
