import AsyncHTTPClient
import CryptographicMessages
import DeviceMessages
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import SCEP

/// Enrolls devices as a real one would: profile, SCEP, Authenticate, TokenUpdate, first commands.
struct Enrollment: Sendable {
    /// What a SCEP server says of itself: the same for every device.
    struct Authority: Sendable {
        let certificate: Data
        let capabilities: SCEPCapabilities
    }

    private let trust: ServerTrust
    private let keys: [SigningKey]

    /// Makes `keys` RSA-2048 keys; devices share them in turn, which the server cannot tell from the outside.
    init(trust: ServerTrust, keys: Int) throws {
        self.trust = trust
        self.keys = try (0..<max(keys, 1)).map { _ in try SigningKey.generate(.rsa2048) }
    }

    func enroll(
        _ count: Int, from source: some ProfileSource, connections: Int, shown: Bool
    ) async throws -> [PlayedDevice] {
        if shown { tell("enrolling \(count) devices") }
        return try await trust.withClient { http in
            let first = try await profile(source.profileURL(of: 0, over: http), over: http)
            let authority = try await authority(of: scep(of: first).url, over: http)
            var devices = [try await enroll(0, with: first, authority: authority, over: http)]
            try await withThrowingTaskGroup(of: [PlayedDevice].self) { group in
                for worker in 0..<connections {
                    group.addTask {
                        var devices: [PlayedDevice] = []
                        for index in stride(from: 1 + worker, to: count, by: connections) {
                            let profile = try await profile(source.profileURL(of: index, over: http), over: http)
                            devices.append(try await enroll(index, with: profile, authority: authority, over: http))
                        }
                        return devices
                    }
                }
                for try await part in group { devices += part }
            }
            return devices
        }
    }

    // MARK: One device

    private func scep(of profile: EnrollmentProfile) throws -> SCEPPayload {
        guard let scep = profile.scep else { throw LoadFailure("the server enrols by ACME, which is not played") }
        return scep
    }

    private func enroll(
        _ index: Int, with profile: EnrollmentProfile, authority: Authority, over http: HTTPClient
    ) async throws -> PlayedDevice {
        let key = keys[index % keys.count]
        let scep = try scep(of: profile)
        let (message, exchange) = try SCEPClient.makeRequest(
            subject: scep.subject.isEmpty ? [[["CN", "martlet-load"]]] : scep.subject,
            challenge: scep.challenge, key: key, caCertificate: authority.certificate,
            capabilities: authority.capabilities, now: Date())
        let answer = try await fetch(
            .POST, scep.url + "?operation=PKIOperation", body: message,
            headers: [("Content-Type", MediaType.scepMessage)], over: http)
        guard case .issued(let certificate) = try SCEPClient.readReply(answer, exchange) else {
            throw LoadFailure("the server issued no certificate")
        }
        let device = PlayedDevice(
            identifier: EnrollmentIdentifier(kind: .device, id: UUID().uuidString),
            identity: PlayedDevice.Identity(certificateDER: certificate, key: key), pushMagic: UUID().uuidString,
            topic: profile.mdm.topic, checkInURL: try ServerURL(profile.mdm.checkInURL ?? profile.mdm.serverURL),
            commandURL: try ServerURL(profile.mdm.serverURL), wakeURL: try profile.wakeURL.map { try ServerURL($0) })
        try await checkIn(device, index: index, over: http)
        return device
    }

    private func checkIn(_ device: PlayedDevice, index: Int, over http: HTTPClient) async throws {
        let authenticate = Authenticate(
            identifier: device.identifier, topic: device.topic, deviceName: "Played \(index)", modelName: "Played",
            model: "Played1,1", osVersion: "1.0", buildVersion: "1A1", productName: "Played1,1",
            serialNumber: "P\(index)")
        _ = try await put(CheckInMessage.authenticate(authenticate).encoded(), by: device, over: http)
        let update = TokenUpdate(
            identifier: device.identifier, topic: device.topic, token: Data(device.identifier.id.utf8),
            pushMagic: device.pushMagic)
        _ = try await put(CheckInMessage.tokenUpdate(update).encoded(), by: device, over: http)
        // The queue is emptied, so that a later Idle finds nothing to do.
        var reply = try await put(device.idle(), by: device, command: true, over: http)
        var turns = 0
        while !reply.isEmpty, turns < 32 {
            let acknowledgement = device.acknowledgement(of: try Command(parsing: reply))
            reply = try await put(acknowledgement, by: device, command: true, over: http)
            turns += 1
        }
    }

    /// Sends a signed message and answers the body of the reply.
    func put(
        _ body: Data, by device: PlayedDevice, command: Bool = false, over http: HTTPClient
    ) async throws -> Data {
        try await fetch(
            .PUT, (command ? device.commandURL : device.checkInURL).text, body: body,
            headers: [
                ("Content-Type", command ? MediaType.command : MediaType.checkIn),
                ("Mdm-Signature", try device.signature(of: body)),
            ], over: http)
    }

    // MARK: Fetching

    private func profile(_ url: String, over http: HTTPClient) async throws -> EnrollmentProfile {
        try EnrollmentProfile(parsing: try await fetch(.GET, url, over: http))
    }

    func authority(of url: String, over http: HTTPClient) async throws -> Authority {
        let capabilities = try await fetch(.GET, url + "?operation=GetCACaps", over: http)
        let certificates = try SCEPClient.readCertificates(
            try await fetch(.GET, url + "?operation=GetCACert", over: http))
        guard let certificate = certificates.first else { throw LoadFailure("the SCEP server has no certificate") }
        return Authority(
            certificate: certificate,
            capabilities: SCEPCapabilities(parsing: String(decoding: capabilities, as: UTF8.self)))
    }

    private func fetch(
        _ method: HTTPMethod, _ url: String, body: Data? = nil, headers: [(String, String)] = [],
        over http: HTTPClient
    ) async throws -> Data {
        var request = HTTPClientRequest(url: url)
        request.method = method
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let response = try await http.execute(request, timeout: .seconds(60))
        let answer = Data(buffer: try await response.body.collect(upTo: 4_194_304))
        guard (200..<300).contains(response.status.code) else {
            let path = URLComponents(string: url)?.path ?? ""
            throw LoadFailure("the server answered \(method) \(path) with \(response.status.code)")
        }
        return answer
    }
}
