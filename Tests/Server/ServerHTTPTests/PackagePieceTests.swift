import AdminMessages
import CertificateAuthority
import Foundation
import NIOCore
import Testing
import Waiting

/// How a piece of a package is taken: as it comes, and repeatable by its `Content-Range` alone.
@Suite(.timeLimit(.minutes(10))) struct PackagePieceTests {
    private let packages = PackageTests()

    /// A piece is written while it is sent, also under a key: the server never holds a whole one in memory.
    @Test func aPieceIsWrittenAsItComes() async throws {
        try await packages.with(try TeamPackage()) { server, admin in
            let digest = String(repeating: "a", count: 64)
            let path = "\(PackageTests.app)/packages/\(digest)/upload"
            let channel = try await RawConnection.open(port: server.port, authority: server.authority.certificateDER)
            let head = """
                PUT /api/v1\(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(admin.token)\r\n\
                Idempotency-Key: k\r\nContent-Range: bytes 0-999999/2000000\r\n\
                Content-Type: application/octet-stream\r\nContent-Length: 1000000\r\n\r\n
                """
            try await channel.writeAndFlush(ByteBuffer(string: head)).get()
            try await channel.writeAndFlush(ByteBuffer(repeating: 7, count: 300_000)).get()
            var received = 0
            try await eventually("300,000 bytes are written, of which \(received) are") { () async throws -> Bool in
                let upload: AdminMessages.PackageUpload = try await admin.get(path)
                received = upload.received
                return received == 300_000
            }
            try await channel.close().get()
        }
    }

    /// Thousands of pieces push out no kept answer of a change: none of them is kept.
    @Test func aPieceIsNotKeptUnderAKey() async throws {
        try await packages.with(try TeamPackage()) { _, admin in
            let path = "\(PackageTests.app)/packages/\(String(repeating: "b", count: 64))/upload"
            func send() async throws -> Answer {
                try await admin.send(
                    "PUT", path, headers: ["Idempotency-Key": "k", "Content-Range": "bytes 0-9/20"],
                    body: Data(count: 10))
            }
            #expect(try await send().status == 200)
            let again = try await send()
            #expect(again.status == 409 && again.text.contains("goes on at byte 10"), "\(again.text)")
            #expect(again.headers["idempotency-replayed"] == nil)
        }
    }
}
