import Foundation
import PlayedAgent
import SwiftASN1
import Testing
import Waiting
import X509

/// Landmarks downloads its landmarks over mutual TLS: AS-6 steps 6 and 7, A24.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct AssetDownloadTests {
    private let assets = #"[{"id": 2001, "name": "Library", "place": "at home"}]"#

    /// S4-SECRET-07, S4-SECRET-08, S4-CAP-02, S4-LM-02, S4-BP-03: nothing without the identity, then with it, then with
    /// the next one over the client that is open, then from another server, then nothing again.
    @Test func landmarksDownloadsWithTheIdentityAsItIsThen() async throws {
        let authority = try TestAuthority("Assets")
        try await Road.with { road in
            try await road.setCertificate("asset-root", pem: try authority.certificate.serializeAsPEM().pemString)
            try await road.enroll()
            let one = try await identity("device-1", on: road)
            let two = try await identity("device-2", on: road)
            let clients = try await road.shell("cat device-1.pem device-2.pem server/identities.pem; echo")
            let assets = assets
            try await WebServer.run(by: authority, clients: clients, answer: { _ in .init(body: assets) }) { server in
                try await configure(server, on: road)
                try await road.assign()
                try await road.give("asset-root", to: Road.app, as: "asset-root")
                try await road.synchronised()
                let app = try road.openLandmarks()
                _ = try await app.line(containing: "(no downloaded landmarks: the administrator has not provided")
                // No byte was sent, not even a greeting: there is nobody whom the server could have refused.
                #expect(server.requests.isEmpty && server.refusals == 0)

                var mark = app.mark
                try await road.setIdentity("client", pkcs12: one, password: "of-device-1")
                try await road.give("client", to: Road.app, as: "asset-server")
                _ = try await app.line(containing: "== Downloaded Landmarks: 1 ==", after: mark)
                _ = try await app.line(containing: "2001  Library, at home", after: mark)
                #expect(server.subjects == ["CN=device-1,O=Example"])
                let process = try road.landmarksProcesses()

                // Another identity while the app runs.
                mark = app.mark
                try await road.setIdentity("client", pkcs12: two, password: "of-device-2")
                _ = try await app.line(containing: "== Downloaded Landmarks: 1 ==", after: mark)
                #expect(server.subjects == ["CN=device-1,O=Example", "CN=device-2,O=Example"])

                // Another server.
                try await WebServer.run(by: authority, clients: clients, answer: { _ in .init(body: assets) }) { next in
                    mark = app.mark
                    try await configure(next, on: road)
                    _ = try await app.line(containing: "== Downloaded Landmarks: 1 ==", after: mark)
                    #expect(next.subjects == ["CN=device-2,O=Example"])

                    // One that the device has made for itself and this server has certified: the log names the device.
                    mark = app.mark
                    try await road.setSecret("own", ["--scep", "--subject", "CN=${device.udid}"])
                    try await road.give("own", to: Road.app, as: "asset-server", replace: true)
                    _ = try await app.line(containing: "== Downloaded Landmarks: 1 ==", after: mark)
                    #expect(next.subjects.last == "CN=\(road.udid)")

                    // And none: the next look is canceled.
                    mark = app.mark
                    try await road.withdraw("asset-server", from: Road.app)
                    _ = try await app.line(containing: "(no downloaded landmarks: the administrator", after: mark)
                    #expect(next.requests.count == 2 && next.refusals == 0)
                }
                #expect(server.requests.count == 2 && server.refusals == 0)
                #expect(try road.landmarksProcesses() == process)
            }
        }
    }

    /// S1-PIN-01, S1-PIN-02, S1-PIN-08, S1-PIN-09: a server of another authority is told nothing; once it shows the right
    /// certificate the app loads.
    @Test func anotherAuthoritysServerIsToldNothing() async throws {
        let authority = try TestAuthority("Assets")
        let stranger = try TestAuthority("Assets")
        try await Road.with { road in
            try await road.setCertificate("asset-root", pem: try stranger.certificate.serializeAsPEM().pemString)
            try await road.enroll()
            let file = try await identity("device-1", on: road)
            try await road.setIdentity("client", pkcs12: file, password: "of-device-1")
            let clients = try await road.shell("cat device-1.pem")
            let assets = assets
            try await WebServer.run(by: authority, clients: clients, answer: { _ in .init(body: assets) }) { server in
                try await configure(server, on: road)
                try await road.assign()
                try await road.give("asset-root", to: Road.app, as: "asset-root")
                try await road.give("client", to: Road.app, as: "asset-server")
                try await road.synchronised()
                let app = try road.openLandmarks()
                _ = try await app.line(containing: "(no downloaded landmarks: this is not the server that")
                #expect(server.requests.isEmpty)

                let mark = app.mark
                try await road.setCertificate("asset-root", pem: try authority.certificate.serializeAsPEM().pemString)
                _ = try await app.line(containing: "== Downloaded Landmarks: 1 ==", after: mark)
                #expect(server.subjects == ["CN=device-1,O=Example"])
            }
        }
    }

    /// S1-CFG-03, S1-PIN-04, E06: the pin comes in the configuration itself, and is held to.
    ///
    /// Another one is not the server's; one that is no certificate is refused with its code, so that nobody is asked.
    @Test func aPinInTheConfigurationIsHeldToOrRefused() async throws {
        let authority = try TestAuthority("Assets")
        try await Road.with { road in
            try await road.enroll()
            let file = try await identity("device-1", on: road)
            try await road.setIdentity("client", pkcs12: file, password: "of-device-1")
            let clients = try await road.shell("cat device-1.pem")
            let assets = assets
            try await WebServer.run(by: authority, clients: clients, answer: { _ in .init(body: assets) }) { server in
                func pin(_ certificate: Data) async throws {
                    let list = try PropertyListSerialization.data(
                        fromPropertyList: ["assetURL": "\(server.url)/a.json", "assetCertificate": certificate],
                        format: .xml, options: 0)
                    try list.write(to: road.home.appending(path: "pin.plist"))
                    try await road.martlet(
                        "configuration", "set", Road.app, "default", "--file", road.home.path + "/pin.plist")
                }
                try await pin(TestAuthority("Assets").der())
                try await road.assign()
                try await road.give("client", to: Road.app, as: "asset-server")
                try await road.synchronised()
                let app = try road.openLandmarks()
                _ = try await app.line(containing: "(no downloaded landmarks: this is not the server that")
                #expect(server.requests.isEmpty)

                var mark = app.mark
                try await pin(authority.der())
                _ = try await app.line(containing: "== Downloaded Landmarks: 1 ==", after: mark)
                #expect(server.subjects == ["CN=device-1,O=Example"])

                mark = app.mark
                try await pin(Data("garbage".utf8))
                _ = try await app.line(containing: "LANDMARKS", after: mark)
                let told = try await eventually("the refusal is told") { () -> String? in
                    let page = try await road.deviceShown()
                    return page.contains("102") && page.contains("assetCertificate") ? page : nil
                }
                #expect(told.contains("invalidAssetCertificate"), "\(told)")
                #expect(server.requests.count == 1)
            }
        }
    }

    /// S4-BP-02: the configuration is small, what it points to is 50 MB.
    @Test func fiftyMegabytesComeThroughAnAddressInASmallConfiguration() async throws {
        let authority = try TestAuthority("Assets")
        let place = String(repeating: "x", count: 10_000)
        let many = (1...5_000).map { #"{"id": \#($0), "name": "Place", "place": "\#(place)"}"# }
        let body = "[\(many.joined(separator: ","))]"
        #expect(body.utf8.count > 50_000_000)
        try await Road.with { road in
            try await road.setCertificate("asset-root", pem: try authority.certificate.serializeAsPEM().pemString)
            try await road.enroll()
            let file = try await identity("device-1", on: road)
            try await road.setIdentity("client", pkcs12: file, password: "of-device-1")
            let clients = try await road.shell("cat device-1.pem")
            try await WebServer.run(by: authority, clients: clients, answer: { _ in .init(body: body) }) { server in
                try await configure(server, on: road)
                try await road.assign()
                try await road.give("asset-root", to: Road.app, as: "asset-root")
                try await road.give("client", to: Road.app, as: "asset-server")
                try await road.synchronised()
                let app = try road.openLandmarks()
                _ = try await app.line(containing: "== Downloaded Landmarks: 5000 ==")
            }
        }
    }

    /// S4-SECRET-07: a server that was not written here, set up by its own manual.
    @Test(.enabled(if: Nginx.isThere, "nginx is not there: run make setup"))
    func nginxThatDemandsACertificateIsServedOne() async throws {
        let authority = try TestAuthority("Assets")
        try await Road.with { road in
            try await road.setCertificate("asset-root", pem: try authority.certificate.serializeAsPEM().pemString)
            try await road.enroll()
            let file = try await identity("device-1", on: road)
            _ = try await identity("stranger", on: road)
            try await road.shell("cp device-1.pem clients.pem")
            try await Nginx.run(on: road, authority: authority, pages: ["landmarks.json": assets]) { nginx in
                try await road.configure(json: Self.configuration(nginx.url))
                try await road.assign()
                try await road.give("asset-root", to: Road.app, as: "asset-root")
                try await road.synchronised()
                let app = try road.openLandmarks()
                _ = try await app.line(containing: "(no downloaded landmarks: the administrator has not provided")
                #expect(try nginx.log().isEmpty)

                var mark = app.mark
                try await road.setIdentity("client", pkcs12: file, password: "of-device-1")
                try await road.give("client", to: Road.app, as: "asset-server")
                _ = try await app.line(containing: "== Downloaded Landmarks: 1 ==", after: mark)
                try await nginx.notes("the device by its name") { $0 == ["200 SUCCESS CN=device-1,O=Example"] }

                // One that nginx does not know is refused there, and the app says what it can know.
                mark = app.mark
                try await road.setIdentity(
                    "client", pkcs12: road.home.appending(path: "stranger.p12"), password: "of-stranger")
                _ = try await app.line(containing: "(no downloaded landmarks: the server did not answer", after: mark)
                try await nginx.notes("a stranger") { $0.last?.hasPrefix("400 FAILED") == true }
            }
        }
    }

    /// S4-SPEC-05: an asset that is not as `Examples/Landmarks/README.md` documents it is refused as a whole, whatever is
    /// wrong with it; the app runs on, and loads the next one that is.
    @Test func anAssetThatIsNotAsDocumentedIsRefusedAndTheAppRunsOn() async throws {
        let authority = try TestAuthority("Assets")
        let bodies = [
            "", "no JSON", #"{"landmarks": []}"#, #"[{"id": "2001", "name": "Library", "place": "at home"}]"#,
            #"[{"id": 2001, "name": "Library", "place": "at home"}, {"id": 2002}]"#,
            String(repeating: "[", count: 200_000),
        ]
        let answers = bodies + [assets]
        let pages = Dictionary(uniqueKeysWithValues: answers.enumerated().map { ("/\($0).json", $1) })
        try await Road.with { road in
            try await road.setCertificate("asset-root", pem: try authority.certificate.serializeAsPEM().pemString)
            try await road.enroll()
            let file = try await identity("device-1", on: road)
            try await road.setIdentity("client", pkcs12: file, password: "of-device-1")
            let clients = try await road.shell("cat device-1.pem")
            let answer: @Sendable (WebServer.Request) -> WebServer.Answer = { request in
                WebServer.Answer(body: pages[request.path] ?? "")
            }
            try await WebServer.run(by: authority, clients: clients, answer: answer) { server in
                func point(at number: Int) async throws {
                    try await road.configure(
                        json: #"{"assetURL": "\#(server.url)/\#(number).json", "assetAuthority": "asset-root"}"#)
                }
                try await point(at: 0)
                try await road.assign()
                try await road.give("asset-root", to: Road.app, as: "asset-root")
                try await road.give("client", to: Road.app, as: "asset-server")
                try await road.synchronised()
                let app = try road.openLandmarks()
                _ = try await app.line(
                    containing: "(no downloaded landmarks: the server did not answer with landmarks)")
                let process = try road.landmarksProcesses()
                for number in 1..<bodies.count {
                    let mark = app.mark
                    try await point(at: number)
                    _ = try await app.line(
                        containing: "(no downloaded landmarks: the server did not answer with landmarks)", after: mark)
                }
                let mark = app.mark
                try await point(at: bodies.count)
                _ = try await app.line(containing: "== Downloaded Landmarks: 1 ==", after: mark)
                #expect(try road.landmarksProcesses() == process)
            }
        }
    }

    private func configure(_ server: WebServer, on road: Road) async throws {
        try await road.configure(json: Self.configuration(server.url))
    }

    private static func configuration(_ url: String) -> String {
        #"{"assetURL": "\#(url)/landmarks.json", "assetAuthority": "asset-root"}"#
    }

    private func identity(_ name: String, on road: Road) async throws -> URL {
        try await road.makePKCS12(name, password: "of-\(name)")
    }
}

extension WebServer {
    /// The callers, in the order of their requests.
    var subjects: [String] { requests.map { $0.client.map { "\($0.subject)" } ?? "nobody" } }
}
