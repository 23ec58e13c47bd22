import Foundation
import InputBounds
import Testing

/// The API's description as a page: all of it, without scripts, and each link leads somewhere.
@Suite struct ReferencePageTests {
    @Test func thePageHasAllOfTheDocumentAndNothingThatRuns() async throws {
        try await TestServer.run { (server) async throws in
            try await server.client().with { client in
                let base = server.baseURL + "/api/v1"
                let answer = try await client.send("GET", base + "/reference")
                #expect(answer.status == 200)
                #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
                #expect(answer.headers["content-security-policy"]?.contains("default-src 'none'") == true)
                let page = answer.text
                for nothing in ["<script", " style=", " onclick", "javascript:", "http://", "https://"] {
                    #expect(!page.contains(nothing), "\(nothing)")
                }
                let document = try JSONValue(
                    parsing: await client.send("GET", base + "/openapi.json").body, limits: .adminBody)
                for (path, methods) in try #require(document["paths"]?.object) {
                    for (method, operation) in methods.object ?? [:] {
                        #expect(page.contains("<code>\(method.uppercased()) \(path)</code>"), "\(method) \(path)")
                        #expect(page.contains("id=\"\(operation["operationId"]?.string ?? "-")\""), "\(path)")
                    }
                }
                let schemas = try #require(document["components"]?["schemas"]?.object)
                for name in schemas.keys { #expect(page.contains("id=\"schema-\(name)\""), "\(name)") }
                let targets = page.matches(of: /href="#([^"]*)"/).map { String($0.1) }
                #expect(targets.count > 100)
                let places = page.matches(of: /\ id="([^"]*)"/).map { String($0.1) }
                #expect(Set(places).count == places.count, "each place has a name of its own")
                #expect(Set(targets).subtracting(places).isEmpty)
                let style = try #require(page.firstMatch(of: /rel="stylesheet" href="([^"]*)"/))
                #expect(try await client.send("GET", server.baseURL + style.1).status == 200)
                let tag = try #require(answer.headers["etag"])
                #expect(
                    try await client.send("GET", base + "/reference", headers: ["If-None-Match": tag]).status == 304)
            }
        }
    }
}
