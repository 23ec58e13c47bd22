import DeviceMessages
import Foundation

extension Management {
    /// The manifest of the devices that are in exactly these groups.
    package func manifest(of groups: [String]) async throws -> Manifest {
        try await manifestEntry(of: groups).manifest
    }

    /// A file for a device: only if its present manifest, or the one it was last told of, refers to it.
    package func asset(sha256: String, for device: DeviceContext) async throws -> AssetDocument? {
        let sha256 = sha256.lowercased()
        guard sha256.utf8.count == 64 else { return nil }
        let manifest = try await manifest(of: device.groups)
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
            return .document(try await manifest(of: device.groups).tokensDocument)
        case .declarationItems:
            return .document(try await items(for: device))
        case .declaration(let kind, let identifier):
            let name = Manifest.name(kind: kind, identifier: identifier)
            let manifest = try await manifest(of: device.groups)
            let told = try await toldSnapshot(of: device, unless: manifest)
            return (told?.declarations[name] ?? manifest.declarations[name]).map(CheckInAnswer.document) ?? .notFound
        case .status:
            return try await recordStatus(request.data ?? Data(), of: device)
        }
    }

    private func items(for device: DeviceContext) async throws -> Data {
        let entry = try await manifestEntry(of: device.groups)
        let manifest = entry.manifest
        // Also for a device that was told of this very set before: its snapshot may have had its time meanwhile.
        let moment = moment
        try await entry.keepSnapshot { [store] in
            try await store.keepSnapshot(manifest.snapshot, groups: entry.groups, now: moment)
        }
        if device.told.itemsToken != manifest.declarationsToken || device.told.token != manifest.declarationsToken {
            try await store.recordItems(device: device.key, epoch: device.epoch, token: manifest.declarationsToken)
            contexts.forget(device.key)
        }
        return manifest.itemsDocument
    }

    /// What the device was told of, when that is not the present manifest any more.
    private func toldSnapshot(of device: DeviceContext, unless manifest: Manifest) async throws -> ManifestSnapshot? {
        guard let token = device.told.itemsToken, token != manifest.declarationsToken else { return nil }
        return try await files.snapshot(token) { try await store.snapshot(token: token) }
    }

    private func manifestEntry(of groups: [String]) async throws -> ManifestCache.Entry {
        let compiler = ManifestCompiler(baseURL: settings.baseURL, organization: settings.organization)
        return try await manifests.entry(groups) { [store] in
            try compiler.compile(try await store.assignmentSnapshot(groups: groups))
        }
    }
}
