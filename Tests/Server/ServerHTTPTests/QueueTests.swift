import AdminMessages
import AsyncHTTPClient
import CertificateAuthority
import DeviceMessages
import Foundation
import InputBounds
import NIOCore
import TestLog
import Testing
import Waiting

/// The queue rules of the protocol (§5), as a device and an administrator see them.
///
/// The store's own part is `storeContractQueue`.
@Suite struct QueueTests {
    /// One outstanding command, in order, whatever is asked meanwhile and on however many connections.
    @Test func oneCommandIsOutstandingUntilItsResultIsThere() async throws {
        try await withQueue(["ProfileList", "CertificateList"]) { (_, queue, device) async throws in
            let answers = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<8 { group.addTask { try await device.report(.idle)?.uuid } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            let first = try #require(try await device.report(.idle))
            #expect(answers == [first.uuid])
            #expect(first.requestType == "ProfileList")
            // A result of another command does not move it.
            let stranger = try Command(uuid: UUID().uuidString, request: .dictionary(["RequestType": .string("X")]))
            #expect(try await device.report(.acknowledged, stranger)?.uuid == first.uuid)
            #expect(try await queue.states() == [.sent, .queued])
            #expect(try await device.report(.acknowledged, first)?.requestType == "CertificateList")
            #expect(try await queue.states() == [.acknowledged, .sent])
        }
    }

    /// A connection that is cut before the command arrived leaves the command at the head, once.
    @Test func aKilledConnectionLeavesItsCommandAtTheHead() async throws {
        try await withQueue(["ProfileList", "CertificateList"]) { (server, queue, device) async throws in
            let body = CommandReport(identifier: device.identifier, status: .idle).encoded()
            let connection = try await RawConnection.open(
                port: server.port, authority: server.authority.certificateDER)
            let head = """
                PUT /mdm/command HTTP/1.1\r\nHost: localhost\r\nMdm-Signature: \(try device.sign(body))\r
                Content-Length: \(body.count)\r\n\r\n
                """
            try await connection.writeAndFlush(ByteBuffer(bytes: Data(head.utf8) + body))
            try await eventually("the log says that the command was delivered") {
                server.log.say("command delivered", "ProfileList")
            }
            try await connection.close()
            #expect(try await queue.states() == [.sent, .queued])
            let again = try await device.report(.idle)
            #expect(again?.requestType == "ProfileList")
            // The answer to its result is lost as well: the device sends the result again, and it counts once.
            let next = try await device.report(.acknowledged, again, contents: ["ProfileList": .array([])])
            #expect(next?.requestType == "CertificateList")
            #expect(try await device.report(.error, again)?.uuid == next?.uuid)
            #expect(try await queue.states() == [.acknowledged, .sent])
        }
    }

    /// What the device cannot do now stays; others go first; it comes again at the end and with the next connection.
    @Test func notNowKeepsTheCommandAndLetsOthersPass() async throws {
        try await withQueue(["ProfileList", "CertificateList"]) { (_, queue, device) async throws in
            let first = try #require(try await device.report(.idle))
            let second = try #require(try await device.report(.notNow, first))
            #expect(second.requestType == "CertificateList")
            #expect(try await queue.states() == [.notNow, .sent])
            // NotNow must be the last word, or the device would not poll by itself.
            #expect(try await device.report(.acknowledged, second)?.uuid == first.uuid)
            #expect(try await device.report(.notNow, first) == nil)
            #expect(try await queue.states() == [.notNow, .acknowledged])
            #expect(try await device.report(.idle)?.uuid == first.uuid)
            #expect(try await device.report(.acknowledged, first) == nil)
            #expect(try await queue.states() == [.acknowledged, .acknowledged])
        }
    }

    /// A failure ends a command, with its reasons, and the next one follows.
    @Test(arguments: [(CommandStatus.error, CommandState.error), (.commandFormatError, .commandFormatError)])
    func aFailedCommandIsOver(status: CommandStatus, state: CommandState) async throws {
        try await withQueue(["ProfileList", "CertificateList"]) { (_, queue, device) async throws in
            let first = try #require(try await device.report(.idle))
            let item: PropertyListValue = .dictionary([
                "ErrorDomain": .string("MCMDMErrorDomain"), "ErrorCode": .integer(12_021),
                "LocalizedDescription": .string("not a valid request type"),
            ])
            let next = try await device.report(status, first, contents: ["ErrorChain": .array([item])])
            #expect(next?.requestType == "CertificateList")
            #expect(try await queue.states() == [state, .sent])
            let detail: CommandDetail = try await queue.admin.get("\(queue.path)/\(first.uuid)")
            #expect(detail.errorChain.map(\.code) == [12_021])
            #expect(detail.errorChain.map(\.domain) == ["MCMDMErrorDomain"])
        }
    }

    /// A user of the device has a queue of their own, on the same certificate.
    @Test func deviceAndUserHaveSeparateQueues() async throws {
        try await withQueue(["ProfileList"]) { (server, queue, device) async throws in
            let user = EnrollmentIdentifier(kind: .device, id: device.identifier.id, userID: "U1")
            let update = TokenUpdate(
                identifier: user, topic: device.topic, token: Data([2]), pushMagic: "user's magic")
            #expect(try await device.checkIn(.tokenUpdate(update)).status == 200)
            let path = "/devices/\(user.key)/commands"
            let sent = try await queue.admin.send("POST", path, CommandRequest(requestType: "CertificateList"))
            #expect(sent.status == 201, "\(sent.text)")
            let own = try await device.report(.idle)
            #expect(own?.requestType == "ProfileList")
            let body = CommandReport(identifier: user, status: .idle).encoded()
            let users = try Command(parsing: try await device.send("/mdm/command", body).body)
            #expect(users.requestType == "CertificateList")
            // The result of one is no result of the other's.
            #expect(try await device.report(.acknowledged, users)?.uuid == own?.uuid)
            let list: AdminMessages.Page<CommandSummary> = try await queue.admin.get(path)
            #expect(list.items.map(\.state) == [.sent])
            let shown: DeviceDetail = try await queue.admin.get("/devices/\(user.key)")
            #expect(shown.kind == .user)
        }
    }

    // MARK: Support

    /// A device's queue as the administrator sees it.
    private struct Queue {
        let admin: AdminClient
        let path: String

        func states() async throws -> [CommandState] {
            let page: AdminMessages.Page<CommandSummary> = try await admin.get(path)
            return page.items.map(\.state)
        }
    }

    /// A device that was told of its declarations and has these commands waiting.
    private func withQueue(
        _ types: [String], _ test: (TestServer, Queue, PlayedDevice) async throws -> Void
    ) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    _ = try await device.report(.acknowledged, device.report(.idle))
                    let queue = Queue(admin: admin, path: "/devices/\(device.identifier.key)/commands")
                    for type in types {
                        _ = try await admin.send("POST", queue.path, CommandRequest(requestType: type))
                    }
                    try await test(server, queue, device)
                }
            }
        }
    }
}
