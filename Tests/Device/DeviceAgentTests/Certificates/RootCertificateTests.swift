import DeviceAgent
import Foundation
import Testing
import X509

/// Which certificates apps may be told to trust.
struct RootCertificateTests {
    private func refusal(_ der: Data) -> String? {
        do {
            _ = try RootCertificate(der, now: TestRoot.now)
            return nil
        } catch {
            return error.sentence
        }
    }

    @Test func aRootIsTakenAsItCame() throws {
        let der = try TestRoot.der("Example Root")
        let root = try RootCertificate(der, now: TestRoot.now)
        #expect(root.certificate == der && root.summary == "CN=Example Root")
        #expect(root.pem.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
        #expect(root.pem.hasSuffix("-----END CERTIFICATE-----\n"))
        #expect(try refusal(TestRoot.der(usage: nil)) == nil, "a key usage may be absent")
    }

    @Test func whatIsNoRootIsRefusedWithItsReason() throws {
        let now = TestRoot.now
        let refused: [(Data, String)] = [
            (try TestRoot.der(until: now - 1), "has expired at"),
            (try TestRoot.der(from: now + 60), "is not valid before"),
            (try TestRoot.der(isAuthority: false), "basic constraints"),
            (try TestRoot.der(usage: KeyUsage(digitalSignature: true)), "keyCertSign"),
            (try TestRoot.der(issuer: "Another"), "was issued by CN=Another"),
            (try TestRoot.der(signsItself: false), "signature is not its own"),
            (Data("no certificate".utf8), "can be read"),
            (Data(), "can be read"),
            (Data(count: RootCertificate.largest + 1), "at most \(RootCertificate.largest)"),
        ]
        for (der, reason) in refused {
            let said = refusal(der)
            #expect(said?.contains(reason) == true, "\(said ?? "nothing"), not \(reason)")
        }
    }

    /// Whatever bytes come, they are read or refused.
    @Test func noBytesOfACertificateStopTheAgent() throws {
        let der = try TestRoot.der()
        for place in der.indices {
            var changed = der
            changed[place] ^= 0xFF
            _ = refusal(changed)
            _ = refusal(der.prefix(place))
        }
    }
}
