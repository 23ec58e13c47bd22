import DeviceMessages
import Foundation

extension Management {
    /// The manifest of an audience's devices in exactly these groups that have no values of their own.
    package func manifest(
        of groups: [String], for audience: DeviceAudience = DeviceAudience()
    ) async throws -> Manifest {
        try await groupEntry(groups, audience).plain.manifest
    }

    /// A device's manifest.
    package func manifest(of device: Device) async throws -> Manifest {
        try await manifestEntry(of: device.id, in: device.groups, device.audience).entry.manifest
    }

    package func manifest(of device: DeviceContext) async throws -> Manifest {
        try await manifestEntry(of: device.key, in: device.groups, device.audience).entry.manifest
    }

    /// The token of a device's manifest and the apps of which it withholds something; cheaper than the whole.
    func manifestBrief(of device: DeviceContext) async throws -> ManifestBrief {
        let group = try await groupEntry(device.groups, device.audience)
        guard !group.prepared.needs.isEmpty else { return ManifestBrief(group.plain.manifest) }
        return try await manifests.brief(
            ofDevice: device.key, in: group, values: { try await values(of: device.key, for: group) },
            compile: compiler.compile)
    }

    /// The tokens of the manifests that devices of these groups share at present, as far as any asked.
    func sharedTokens(of groups: [String]) async throws -> Set<String> {
        let assigned = try await assignedEntry(groups)
        _ = assigned.entry(for: DeviceAudience(), number: manifests.nextNumber, compiler)
        return Set(
            assigned.entries.filter(\.prepared.needs.isEmpty).map(\.plain.manifest.declarationsToken))
    }

    /// What manifests of devices in these groups need to know of the device.
    func needs(of groups: [String]) async throws -> ManifestNeeds {
        try await assignedEntry(groups).assigned.needs
    }

    /// A file for a device: only if its present manifest, or the one it was last told of, refers to it.
    package func asset(sha256: String, for device: DeviceContext) async throws -> AssetDocument? {
        let sha256 = sha256.lowercased()
        guard sha256.utf8.count == 64 else { return nil }
        let manifest = try await manifest(of: device)
        if let bytes = manifest.files[sha256], let asset = manifest.assets[sha256] {
            return AssetDocument(bytes: bytes, mediaType: asset.mediaType)
        }
        var asset = manifest.assets[sha256]
        if asset == nil { asset = try await toldSnapshot(of: device, unless: manifest)?.assets[sha256] }
        guard let asset else { return nil }
        let bytes = try await files.bytes(sha256) { try await store.assetBytes(sha256: sha256) }
        return bytes.map { AssetDocument(bytes: $0, mediaType: asset.mediaType) }
    }

    /// Answers one request of the declarative-management protocol.
    func answer(_ request: DeclarativeManagementRequest, of device: DeviceContext) async throws -> CheckInAnswer {
        switch request.endpoint {
        case .tokens:
            return .document(try await manifest(of: device).tokensDocument)
        case .declarationItems:
            let items = try await items(for: device)
            changes.note(Change(.fetch, device: device.key, groups: device.groups, time: moment))
            return .document(items)
        case .declaration(let kind, let identifier):
            let name = Manifest.name(kind: kind, identifier: identifier)
            let manifest = try await manifest(of: device)
            let told = try await toldSnapshot(of: device, unless: manifest)
            return (told?.declarations[name] ?? manifest.declarations[name]).map(CheckInAnswer.document) ?? .notFound
        case .status:
            return try await recordStatus(request.data ?? Data(), of: device)
        }
    }

    private func items(for device: DeviceContext) async throws -> Data {
        let (entry, isOwn) = try await manifestEntry(of: device.key, in: device.groups, device.audience)
        let manifest = entry.manifest
        try await noteWithheld(manifest.withheldApps, from: device)
        let moment = moment
        let token = manifest.declarationsToken
        let isNews = device.told.itemsToken != token || device.told.token != token
        if isOwn {
            // Kept for this device alone, for as long as it is what the device was last given.
            guard isNews else { return manifest.itemsDocument }
            try await store.keepOwnSnapshot(
                manifest.snapshot, files: manifest.files, device: device.key, epoch: device.epoch, now: moment)
            contexts.forget(device.key)
            return manifest.itemsDocument
        }
        // Also for a device that knows this set already: its snapshot may have expired meanwhile.
        try await entry.keepSnapshot { [store] in
            try await store.keepSnapshot(manifest.snapshot, groups: entry.groups, now: moment)
        }
        if isNews {
            try await store.recordItems(device: device.key, epoch: device.epoch, token: token, now: moment)
            contexts.forget(device.key)
        }
        return manifest.itemsDocument
    }

    /// Records of which apps something is withheld from a device that connects, if that has changed.
    ///
    /// Nothing else of the device changes: the rest of its request is answered by the context that it has.
    func noteWithheld(_ apps: Set<String>, from device: DeviceContext) async throws {
        guard apps != device.withheldApps else { return }
        try await store.recordWithheld(apps, on: device.key, epoch: device.epoch, now: moment)
        contexts.forget(device.key)
    }

    /// The snapshot that was announced to the device, if it is not the present manifest.
    private func toldSnapshot(of device: DeviceContext, unless manifest: Manifest) async throws -> ManifestSnapshot? {
        guard let token = device.told.itemsToken, token != manifest.declarationsToken else { return nil }
        return try await files.snapshot(token) { try await store.snapshot(token: token) }
    }

    // MARK: Compiling

    var compiler: ManifestCompiler {
        ManifestCompiler(baseURL: settings.baseURL, organization: settings.organization)
    }

    /// A device's manifest, and whether it is not the one that all such devices of its groups share.
    private func manifestEntry(
        of key: String, in groups: [String], _ audience: DeviceAudience
    ) async throws -> (entry: ManifestCache.Entry, isOwn: Bool) {
        let group = try await groupEntry(groups, audience)
        guard !group.prepared.needs.isEmpty else { return (group.plain, false) }
        let entry = try await manifests.entry(
            ofDevice: key, in: group, values: { try await values(of: key, for: group) }, compile: compiler.compile)
        return (entry, true)
    }

    private func groupEntry(
        _ groups: [String], _ audience: DeviceAudience
    ) async throws -> ManifestCache.GroupEntry {
        try await assignedEntry(groups).entry(for: audience, number: manifests.nextNumber, compiler)
    }

    private func assignedEntry(_ groups: [String]) async throws -> ManifestCache.AssignedEntry {
        try await manifests.assigned(groups) { [store] in
            try await Assigned(store.assignmentSnapshot(groups: groups), from: store)
        }
    }

    private func values(of key: String, for group: ManifestCache.GroupEntry) async throws -> DeviceValues {
        let needs = group.prepared.needs
        guard let sources = try await store.valueSources(of: key, secrets: needs.secrets.sorted()) else {
            return .none
        }
        return DeviceValues(sources, needed: needs)
    }
}

/// A configuration was replaced between two readings of the store; the next request finds the new one.
struct FileMissing: Error {}
