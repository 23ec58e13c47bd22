import DeviceMessages
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOSSL

/// Where devices have the documents of one secret.
struct CredentialSource: Sendable {
    let trust: ServerTrust
    let named: CredentialAsset.Kind

    /// `each` documents of every device: each gives a right to a certificate of its own.
    func documents(of devices: [PlayedDevice], each: Int, connections: Int) async throws -> [Data] {
        let url = try await address(for: devices[0])
        return try await withThrowingTaskGroup(of: [Data].self) { group in
            for worker in 0..<connections {
                group.addTask {
                    var documents: [Data] = []
                    for index in stride(from: worker, to: devices.count, by: connections) {
                        let connection = try await connect(devices[index], to: url)
                        for _ in 0..<each {
                            documents.append(try await connection.body(of: PreparedRequest(.GET, url)))
                        }
                        connection.close()
                    }
                    return documents
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// The secret is one, and so is the address of its document.
    private func address(for device: PlayedDevice) async throws -> ServerURL {
        let connection = try await connect(device, to: device.checkInURL)
        defer { connection.close() }
        func ask(_ endpoint: DeclarativeEndpoint) async throws -> Data {
            try await connection.body(of: PreparedRequest(device.declarative(endpoint), of: device, signed: false))
        }
        for item in try DeclarationItems(parsing: try await ask(.declarationItems))[.asset] {
            let declaration = try Declaration(
                parsing: try await ask(.declaration(.asset, identifier: item.identifier)))
            guard declaration.type == named.rawValue else { continue }
            return try ServerURL(try CredentialAsset(declaration).document.dataURL)
        }
        throw LoadFailure("the devices hold no credential of the kind \(named.rawValue)")
    }

    private func connect(_ device: PlayedDevice, to server: ServerURL) async throws -> DeviceConnection {
        let tls = try NIOSSLContext(configuration: try trust.configuration(identity: device.identity))
        return try await DeviceConnection.open(to: server, tls: tls)
    }
}

extension DeviceConnection {
    /// The body of an answer that is a success.
    func body(of request: PreparedRequest) async throws -> Data {
        let answer = try await ask(request)
        guard (200..<300).contains(answer.status) else {
            throw LoadFailure("the server answered a device with \(answer.status)")
        }
        return Data(buffer: answer.body)
    }
}
