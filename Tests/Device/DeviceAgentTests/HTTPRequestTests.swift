import DeviceAgent
import Foundation
import InputBounds
import TestInputs
import Testing

/// The reader of requests on `app-http.socket`.
struct HTTPRequestTests {
    private func read(_ text: String) throws(HTTPRefusal) -> HTTPRequest? {
        var reader = HTTPRequestReader()
        reader.append(Array(text.utf8))
        return try reader.next()
    }

    @Test func aRequestIsReadInWhateverPiecesItComes() throws {
        let text = "GET /secrets/password/a%2Fb%C3%A4?x=1&wait=30 HTTP/1.1\r\nhost: a\r\nIf-None-Match: \"v\" \r\n\r\n"
        var expected = HTTPRequest()
        expected.path = ["secrets", "password", "a/bä"]
        expected.wait = 30
        expected.known = "\"v\""
        #expect(try read(text) == expected)
        var reader = HTTPRequestReader()
        for byte in text.utf8.dropLast() {
            reader.append([byte])
            #expect(try reader.next() == nil)
        }
        reader.append(Array("\nGET / HTTP/1.1\r\nHost:\r\nConnection: Close\r\n\r\n".utf8))
        #expect(try reader.next() == expected)
        let last = try #require(try reader.next())
        #expect(last.path == [""] && last.closes)
        #expect(try reader.next() == nil)
    }

    /// What two readers could understand in two ways is not read at all.
    @Test(
        arguments: [
            ("POST / HTTP/1.1\r\nHost: a\r\n\r\n", .method), ("get / HTTP/1.1\r\nHost: a\r\n\r\n", .method),
            ("GET / HTTP/1.0\r\nHost: a\r\n\r\n", .version), ("GET / HTTP/1.1\r\n\r\n", .malformed),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", .malformed),
            ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", .malformed),
            ("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", .malformed),
            ("GET /%4 HTTP/1.1\r\nHost: a\r\n\r\n", .malformed),
            ("GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", .malformed), ("GET /%ff HTTP/1.1\r\nHost: a\r\n\r\n", .malformed),
            ("GET /ä HTTP/1.1\r\nHost: a\r\n\r\n", .malformed), ("GET /\n HTTP/1.1\r\nHost: a\r\n\r\n", .malformed),
            ("GET / HTTP/1.1\r\nHost: a\n\r\n\r\n", .malformed),
            ("GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", .malformed),
            ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", .malformed),
            ("GET / HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n", .malformed),
            ("GET /?wait=1000 HTTP/1.1\r\nHost: a\r\n\r\n", .malformed),
            ("GET /?wait=-1 HTTP/1.1\r\nHost: a\r\n\r\n", .malformed),
            ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx", .body),
            ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n", .malformed),
            ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", .body), ("\r\n\r\n", .malformed),
            ("GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 64) + "\r\n", .malformed),
            (String(repeating: "x", count: 8_192), .tooLarge),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "y", count: 8_192) + "\r\n\r\n", .tooLarge),
        ] as [(String, HTTPRefusal)])
    func whatIsNoSuchRequestIsRefused(_ text: String, _ refusal: HTTPRefusal) {
        #expect(throws: refusal) { try read(text) }
    }

    @Test func aBodyOfNothingIsNone() throws {
        #expect(
            try read("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: keep-alive, close\r\n\r\n")?.closes
                == true)
    }
}

/// Requests as a hostile or broken program would send them.
struct HTTPRequestFuzzTests {
    private static let seeds = [
        "GET /configuration?wait=30 HTTP/1.1\r\nHost: agent\r\nIf-None-Match: \"0123abc\"\r\nAccept: */*\r\n\r\n",
        "GET /secrets/password/a%2Fb HTTP/1.1\r\nHost: agent\r\nConnection: close\r\nUser-Agent: curl/7\r\n\r\n",
        "GET / HTTP/1.1\r\nHost:\r\nContent-Length: 0\r\n\r\nGET /secrets HTTP/1.1\r\nHost: x\r\n\r\n",
    ].map { Data($0.utf8) }
    private static let tokens = [
        "\r\n", "\r", "\n", "\r\n\r\n", "Host: a\r\n", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "%00",
        "%2e%2e",
        "?wait=", "wait=9999999999999999999", "HTTP/1.1", " ", "\t", ":", "\0", "%", "If-None-Match: *\r\n",
    ]

    /// No bytes end the agent, and where they are cut makes no difference.
    @Test func anyBytesAreReadInPiecesAsTheyAreAtOnce() {
        var random = SplitMix64(seed: Mutation.seed)
        for round in 0..<Mutation.iterations {
            let input = Mutation.mutate(
                Self.seeds[round % Self.seeds.count], with: Self.seeds, tokens: Self.tokens, using: &random)
            let whole = outcomes([input])
            let cut = Int.random(in: 0...input.count, using: &random)
            #expect(outcomes([input.prefix(cut), input.dropFirst(cut)]) == whole, "\(input as NSData)")
        }
    }

    private func outcomes(_ pieces: [Data]) -> [Result<HTTPRequest, HTTPRefusal>] {
        var reader = HTTPRequestReader()
        var outcomes: [Result<HTTPRequest, HTTPRefusal>] = []
        for piece in pieces {
            reader.append(piece)
            do {
                while let request = try reader.next() { outcomes.append(.success(request)) }
            } catch {
                outcomes.append(.failure(error))
                return outcomes
            }
        }
        return outcomes
    }
}
