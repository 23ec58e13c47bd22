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
    private let boot: @Sendable () -> String?
    private let disk = DiskRoom()
    private let log: Logger

    /// Prepares the work on `effects`.
    ///
    /// `bell` rings when systems may hold something else; `changed` is called when the server is to hear of it; `boot`
    /// names the machine's present boot, if it can be read.
    package init(
        device: Device, effects: [any SystemEffect], bell: InstallBell, changed: @escaping @Sendable () -> Void,
        boot: @escaping @Sendable () -> String? = { try? Logind().boot() }, log: Logger
    ) {
        self.device = device
        self.effects = effects
        self.bell = bell
        self.changed = changed
        self.boot = boot
        self.log = log
    }

    /// Works until the task is canceled.
    package func run() async {
        var isFirst = true
        await bell.work {
            defer { isFirst = false }
            return await pass(isFirst: isFirst)
        }
    }

    /// Looks now and then whether everything still stands, until the task is canceled.
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
            } catch let refusal as EffectRefusal {
                if !note(refusal, of: effect) { isDone = false }
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
        let present = effect.bootToKeep(boot)
        var record: EffectRecord
        switch EffectStep.next(form, state.effects[effect.name], isFirst: isFirst) {
        case .nothing: return false
        case .look:
            let isRestarted = state.effects[effect.name]?.isOfEarlierBoot(than: present) == true
            if (try? effect.stands(in: systems)) == true {
                if isRestarted { try device.change { $0.effects[effect.name]?.boot = present } }
                return false
            }
            if !isRestarted {
                log.warning(
                    "what a system had put in effect was changed by something else and is put in effect again",
                    metadata: ["system": "\(effect.name)"])
            }
            record = EffectRecord(form: form)
        case .put(let next): record = next
        }
        record.boot = present
        try device.change { $0.effects[effect.name] = record }
        try effect.put(from: systems)
        try device.change { $0.effects[effect.name] = record.done }
        return true
    }

    /// Keeps why an effect does not take place here, and reports it if it is news; says whether it could be kept.
    private func note(_ refusal: EffectRefusal, of effect: some SystemEffect) -> Bool {
        let why = refusal.description
        do {
            let isNews = try device.change { state in
                // Another pass may have put something else in effect since.
                guard let record = state.effects[effect.name], !record.isDone else { return false }
                state.effects[effect.name]?.failure = why
                state.effects[effect.name]?.isRefused = true
                return record.failure != why || record.isRefused != true
            }
            guard isNews else { return true }
            log.notice(
                "a system is not put in effect on this device", metadata: ["system": "\(effect.name)", "why": "\(why)"])
            changed()
            return true
        } catch {
            log.error("why a system is not in effect could not be kept", metadata: ["why": "\(error)"])
            return false
        }
    }

    private func note(_ error: any Error, of effect: some SystemEffect) {
        log.error(
            "a system could not be put in effect and is tried again",
            metadata: ["system": "\(effect.name)", "why": "\(error)"])
        do {
            let isNews = try device.change { state in
                guard let record = state.effects[effect.name], !record.isDone else { return false }
                state.effects[effect.name]?.failure = "\(error)"
                // Another attempt may change it.
                state.effects[effect.name]?.isRefused = nil
                return record.failure == nil || record.isRefused == true
            }
            if isNews { changed() }
        } catch {
            log.error("why a system is not in effect could not be kept", metadata: ["why": "\(error)"])
        }
    }
}

extension SystemEffect {
    /// The boot to keep with its record; nothing where the effect outlives a boot.
    fileprivate func bootToKeep(_ boot: () -> String?) -> String? { Self.outlivesBoot ? nil : boot() }
}
