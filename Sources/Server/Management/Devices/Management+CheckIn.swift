package import DeviceMessages
package import Foundation

/// What a check-in message is answered with.
package enum CheckInAnswer: Sendable, Equatable {
    /// 200 without a body.
    case done
    /// 200 with a JSON document.
    case document(Data)
    /// 200 with a property list.
    case propertyList(Data)
    /// 410: a user of the network's directory is not managed while they are logged in.
    case unmanagedUser
    /// 404: the declaration is gone.
    case notFound
    case refused(DeviceRefusal)
}

extension Management {
    /// Serves a check-in message; `signer` is the SHA-256 of the certificate that came with it, already judged to be
    /// issued by our authority and in time; `token` is what an enrollment by account shows of its person's sign-in.
    package func checkIn(
        _ message: CheckInMessage, signer: Data, showing token: String? = nil
    ) async throws -> CheckInAnswer {
        switch message {
        case .authenticate(let message): try await authenticate(message, signer: signer)
        case .tokenUpdate(let message): try await updateToken(message, signer: signer, showing: token)
        case .checkOut(let message): try await checkOut(message, signer: signer)
        case .declarativeManagement(let request):
            switch try await judge(request.identifier, signer: signer, showing: token) {
            case .accepted(let context): try await answer(request, of: context)
            case .refused(let refusal): .refused(refusal)
            }
        case .setBootstrapToken(let message):
            switch try await judge(message.identifier, ofDevice: signer, showing: token) {
            case .accepted(let device): try await keepBootstrapToken(message.token, of: device.key)
            case .refused(let refusal): .refused(refusal)
            }
        case .getBootstrapToken(let identifier):
            switch try await judge(identifier, ofDevice: signer, showing: token) {
            case .accepted(let device):
                .propertyList(BootstrapTokenAnswer(token: try await escrowed(.bootstrap, for: device.key)).encoded())
            case .refused(let refusal): .refused(refusal)
            }
        case .userAuthenticate(let identifier):
            // The user has no channel yet, and gets none: who is managed on a device sends a TokenUpdate at once.
            switch try await judge(identifier, ofDevice: signer, showing: token) {
            case .accepted: .unmanagedUser
            case .refused(let refusal): .refused(refusal)
            }
        case .other(_, let identifier):
            if let identifier,
                case .refused(let refusal) = try await judge(identifier, signer: signer, showing: token)
            {
                .refused(refusal)
            } else {
                .refused(.unsupported)
            }
        }
    }

    private func authenticate(_ message: Authenticate, signer: Data) async throws -> CheckInAnswer {
        let key = message.identifier.key
        let facts = DeviceFacts(
            deviceName: Self.bounded(message.deviceName), modelName: Self.bounded(message.modelName),
            model: Self.bounded(message.model), productName: Self.bounded(message.productName),
            // A person's part of a device has none, whatever is sent.
            serialNumber: message.identifier.kind == .user ? nil : Self.bounded(message.serialNumber),
            osVersion: Self.bounded(message.osVersion),
            buildVersion: Self.bounded(message.buildVersion), topic: Self.bounded(message.topic))
        // The users of a device begin with their TokenUpdate.
        guard key.utf8.count <= 512, message.identifier.userID == nil else {
            return .refused(.mismatch(log: "Authenticate of a user of the device"))
        }
        let draft = EnrollmentDraft(
            key: key, kind: message.identifier.kind == .user ? .user : .device, fingerprint: signer, facts: facts,
            audience: DeviceAudience(message), obeysSupervision: message.agentVersion != nil, now: moment)
        let outcome = try await store.authenticate(draft)
        contexts.forget(key)
        switch outcome {
        case .accepted:
            wakeHub.disconnect(key)
            manifests.forget(device: key)
            try await judgeDue(key)
            if let serial = facts.serialNumber { try await reconsiderOthers(than: key, withSerialNumber: serial) }
            return .done
        case .refused(let refusal): return .refused(refusal)
        }
    }

    /// Another device may say the same number, and then neither is given what is meant for one.
    private func reconsiderOthers(than key: String, withSerialNumber serial: String) async throws {
        let page = try await store.devices(DeviceFilter(serialNumber: serial), PageRequest())
        for device in page.items where device.id != key { try await reconsider(device.id) }
    }

    private func updateToken(
        _ message: TokenUpdate, signer: Data, showing token: String?
    ) async throws -> CheckInAnswer {
        let key = message.identifier.key
        guard key.utf8.count <= 1_024, message.token.count <= 4_096, message.pushMagic.utf8.count <= 1_024,
            (message.unlockToken?.count ?? 0) <= 65_536
        else { return .refused(.mismatch(log: "TokenUpdate with values beyond their bounds")) }
        // A user's channel speaks with the certificate of its device.
        let parent = message.identifier.userID == nil ? nil : message.identifier.id
        switch try await judge(key: parent ?? key, signer: signer) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let context):
            if let refusal = try await signInRefusal(of: context, showing: token) { return .refused(refusal) }
        }
        let unlockToken = try await changed(message.unlockToken, as: .unlock, of: key)
        let outcome = try await sealing { keys in
            let push = PushDetails(
                token: message.token, pushMagic: message.pushMagic,
                unlockToken: try unlockToken.map { try Self.seal($0, as: .unlock, of: key, keys) },
                awaitingConfiguration: message.awaitingConfiguration)
            return try await store.updateToken(key: key, userOf: parent, push: push, now: moment)
        }
        contexts.forget(key)
        // At once: an overview that is asked for right after an enrollment counts the device.
        changes.miscount()
        return outcome.refusal.map(CheckInAnswer.refused) ?? .done
    }

    private func checkOut(_ message: CheckOut, signer: Data) async throws -> CheckInAnswer {
        let key = message.identifier.key
        guard let context = try await context(key) else {
            return .refused(.unknownDevice(log: "CheckOut of an enrollment that is not known"))
        }
        // It may come again after a lost answer.
        if context.state == .checkedOut, context.fingerprint == signer { return .done }
        if case .refused(let refusal) = try await judge(key: key, signer: signer) { return .refused(refusal) }
        try await store.checkOut(key: key, now: moment)
        contexts.forget(key)
        wakeHub.disconnect(key)
        return .done
    }

    /// What a device says of itself is shown to people: it is cut to a line.
    private static func bounded(_ text: String?) -> String? {
        text.map { String($0.prefix(256)) }
    }
}
