import Crypto
import Foundation
import PlayedAgent
import SwiftASN1
import Synchronization
import Testing
import Waiting
import X509

/// Debian's nginx, serving files to everybody or to those who have a certificate that is listed in `clients.pem`.
struct Nginx {
    /// Whom it serves and how, and what it notes of each request.
    struct Manner {
        let isForClients: Bool
        let note: String
        var bytesPerSecond: Int?
        /// Whether it asks who of its clients was revoked, in the list `revoked.pem` beside their authorities.
        var asksForRevoked = false

        static let clients = Manner(isForClients: true, note: "$status $ssl_client_verify $ssl_client_s_dn")
        static let unrevokedClients = Manner(
            isForClients: true, note: "$status $ssl_client_verify $ssl_client_s_dn", asksForRevoked: true)
        static func everybody(bytesPerSecond: Int) -> Manner {
            Manner(isForClients: false, note: "$status $http_range", bytesPerSecond: bytesPerSecond)
        }
    }

    /// Unpacked by `scripts/setup`, or installed.
    private static let binary: String? = {
        var folder = Road.binary("martlet")
        while folder.path.count > 1 {
            folder.deleteLastPathComponent()
            let unpacked = folder.appending(path: ".build/interop/nginx/usr/sbin/nginx").path
            if FileManager.default.isExecutableFile(atPath: unpacked) { return unpacked }
        }
        return FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx") ? "/usr/sbin/nginx" : nil
    }()

    static var isThere: Bool { binary != nil }

    let url: String
    /// What is served.
    let pages: URL
    private let folder: URL
    private let process: RunningProcess

    /// Serves for as long as `body` lasts.
    static func run(
        on road: Road, authority: TestAuthority, pages: [String: String] = [:], _ manner: Manner = .clients,
        _ body: (Nginx) async throws -> Void
    ) async throws {
        let folder = road.home.appending(path: "nginx")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "html"), withIntermediateDirectories: true)
        let key = P256.Signing.PrivateKey()
        let leaf = try authority.issue("server", for: Certificate.PublicKey(key.publicKey), hosts: ["localhost"])
        let port = try KeptPort.next()
        for (name, text) in [
            ("server.pem", try leaf.serializeAsPEM().pemString), ("server.key", key.pemRepresentation),
            ("nginx.conf", configuration(folder.path, road.home.path, port: port, manner)),
        ] + pages.map({ ("html/" + $0.key, $0.value) }) {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        let binary = try #require(binary)
        let process = try RunningProcess(
            "nginx", URL(filePath: binary), ["-p", folder.path, "-c", folder.path + "/nginx.conf", "-e", "stderr"],
            environment: Road.environment(road.home))
        road.processes.withLock { $0.append(process) }
        _ = try await process.line(containing: "start worker process ")
        do {
            let pages = folder.appending(path: "html")
            try await body(
                Nginx(url: "https://localhost:\(port)", pages: pages, folder: folder, process: process))
        } catch {
            process.send(SIGTERM)
            throw error
        }
        // It ends its worker itself.
        process.send(SIGTERM)
        #expect(try await process.exit() == 0)
    }

    /// Has it lose its connections in the middle of what it says; it starts another worker by itself.
    func cutConnections() throws {
        let children = "/proc/\(process.identifier)/task/\(process.identifier)/children"
        let worker = try String(contentsOfFile: children, encoding: .utf8).split(separator: " ").first
        kill(try #require(worker.flatMap { Int32($0) }), SIGKILL)
    }

    /// Has it read its lists anew; workers that began with the old ones serve nobody any more.
    func reload() async throws {
        let mark = process.mark
        process.send(SIGHUP)
        _ = try await process.line(containing: "start worker process ", after: mark)
    }

    /// Waits until it has noted its requests so: it does when it has answered, which its clients may see before.
    func notes(_ what: String, _ holds: ([String]) -> Bool) async throws {
        var log: [String] = []
        try await eventually("\(what), but nginx notes \(log.suffix(5))") { () -> Bool in
            log = try self.log()
            return holds(log)
        }
    }

    /// What it noted of each request.
    func log() throws -> [String] {
        let text = try String(contentsOf: folder.appending(path: "access.log"), encoding: .utf8)
        return text.split(separator: "\n").map(String.init)
    }

    private static func configuration(_ folder: String, _ home: String, port: Int, _ manner: Manner) -> String {
        let clients = manner.isForClients ? "ssl_client_certificate \(home)/clients.pem; ssl_verify_client on;" : ""
        let revoked = manner.asksForRevoked ? "ssl_crl \(home)/revoked.pem;" : ""
        let rate = manner.bytesPerSecond.map { "limit_rate \($0);" } ?? ""
        return """
            daemon off;
            worker_processes 1;
            pid \(folder)/nginx.pid;
            error_log stderr notice;
            \(geteuid() == 0 ? "user root;" : "")
            events { worker_connections 64; }
            http {
                log_format client '\(manner.note)';
                access_log \(folder)/access.log client;
                client_body_temp_path \(folder)/body;
                proxy_temp_path \(folder)/proxy;
                fastcgi_temp_path \(folder)/fastcgi;
                uwsgi_temp_path \(folder)/uwsgi;
                scgi_temp_path \(folder)/scgi;
                server {
                    listen 127.0.0.1:\(port) ssl;
                    ssl_certificate \(folder)/server.pem;
                    ssl_certificate_key \(folder)/server.key;
                    \(clients) \(revoked) \(rate)
                    root \(folder)/html;
                }
            }
            """
    }
}
