import ManagedApp

// The names of Apple's URL loading that a delegate for mutual TLS writes down. They do nothing here: what is compiled
// against them is the rest of that delegate, letter by letter as on iOS.

// swift-format-ignore: AlwaysUseLowerCamelCase
let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

struct URLProtectionSpace {
    let authenticationMethod: String
}

struct URLAuthenticationChallenge {
    let protectionSpace: URLProtectionSpace
}

struct URLSessionTask {}

struct URLSession {
    enum AuthChallengeDisposition {
        case useCredential, performDefaultHandling, cancelAuthenticationChallenge
    }
}

protocol URLSessionTaskDelegate: AnyObject {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)
}

struct URLCredential {
    enum Persistence {
        case none, forSession
    }

    let identity: SecIdentity

    init(identity: SecIdentity, certificates: [Any]?, persistence: Persistence) {
        self.identity = identity
    }
}
