import ServerHTTP

/// Requests of 20,000 networks of one IPv6 site, and then of 1,000 networks elsewhere.
enum SiteFlood {
    /// How many requests were admitted.
    struct Admitted: Equatable {
        let ofSite: Int
        let ofOthers: Int
    }

    /// Has a bound of requests decide each of them.
    static func admitted(by admits: (PeerNetwork) -> Bool) -> Admitted {
        let ofSite = (0..<20_000).count { number in
            let digits = String(number, radix: 16)
            return admits(PeerNetwork("20010db80001" + String(repeating: "0", count: 4 - digits.count) + digits))
        }
        let ofOthers = (0..<1_000).count { admits(PeerNetwork("198.51.\($0 / 250).\($0 % 250)")) }
        return Admitted(ofSite: ofSite, ofOthers: ofOthers)
    }
}
