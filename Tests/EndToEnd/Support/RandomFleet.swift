import Foundation

/// A directory for `martlet apply` that nobody thought of: the same for the same seed.
struct RandomFleet {
    /// The names that secrets may have, with the values that the tests give them.
    static let values = ["s0": "first-of-the-secret-values", "s1": "second-of-the-secret-values"]

    /// What martlet looks at for the values, in directories of ours and in exported ones.
    static let environment = Dictionary(
        uniqueKeysWithValues: values.flatMap { name, value in
            ["", "_USER_NAME"].map { ("MARTLET_SECRET_\(name.uppercased())\($0)", value) }
        })

    /// Certificates of two authorities, until the end of 2049.
    static let roots: [String] = [
        """
        -----BEGIN CERTIFICATE-----
        MIIBYTCCAQegAwIBAgIBATAKBggqhkjOPQQDAjAYMRYwFAYDVQQDDA1SYW5kb20g
        cm9vdCAwMB4XDTIwMDEwMTAwMDAwMFoXDTQ5MTIzMTIzNTk1OVowGDEWMBQGA1UE
        AwwNUmFuZG9tIHJvb3QgMDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLsGwZqa
        Tgx9simf5y82wukJLBm9fIiCMX+Yu9jUe7c8cJwaAK4R9E+VCQWrie6oNftHqleP
        AAp4p4jFkCe4aI+jQjBAMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgIE
        MB0GA1UdDgQWBBQ+QOy1fp5emAde1f+o6YvbgQnRfzAKBggqhkjOPQQDAgNIADBF
        AiEAl7kZTEi8tofkfkD9FYVs8GY/6rjSQjh5pQjU6EVtk44CIG3Sw154PsFbg0M4
        sKW3vGrjhYbMWs9bKZ8kR4z1ybTL
        -----END CERTIFICATE-----

        """,
        """
        -----BEGIN CERTIFICATE-----
        MIIBYDCCAQegAwIBAgIBAjAKBggqhkjOPQQDAjAYMRYwFAYDVQQDDA1SYW5kb20g
        cm9vdCAxMB4XDTIwMDEwMTAwMDAwMFoXDTQ5MTIzMTIzNTk1OVowGDEWMBQGA1UE
        AwwNUmFuZG9tIHJvb3QgMTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABE1WpChD
        evcVMkJCVThhz+ORb8KrgPCWHjLZDENe4eiyfJFXI3aNN37CbaQuERXnQOD0MHvL
        yQUtL4jXE4TqvR+jQjBAMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgIE
        MB0GA1UdDgQWBBSY8BqJBRCy9Bh4sSahISy8nntVcTAKBggqhkjOPQQDAgNHADBE
        AiAWB+PCd2Lhnt6tHi6Gc5VKj9bbP7FM9GLz3KNCc8D3UAIgArhVSNkuN3LtW6IH
        9t0SqXgsrjozaPcyGXrkgOh20+c=
        -----END CERTIFICATE-----

        """,
    ]

    private var random: Numbers
    private let root: URL

    static func write(_ seed: UInt64, to root: URL) throws {
        var fleet = RandomFleet(random: Numbers(seed), root: root)
        try fleet.write()
    }

    private mutating func write() throws {
        let groups = some(["g0", "g1", "g2"])
        let secrets = some(Self.values.keys.sorted())
        try put(
            "martlet.json",
            ["format": 1, "manages": ["apps", "groups", "secrets", "settings", "expected-devices"]] as [String: Any])
        // One rule in several ways: what is kept is the same.
        let rules = ["os = linux", "os=linux", "not (os = ios) and shard 50% of a", "supervised"]
        let ruled = some(groups)
        let settings = some(["proxy", "x.y-z_2"])
        for name in settings {
            try put("settings/root-certificate/\(name).json", ["certificate": one(Self.roots)])
        }
        try put(
            "groups.json",
            groups.map { group -> [String: Any] in
                var said: [String: Any] = ["name": group]
                if ruled.contains(group), coin() { said["rule"] = one(rules) }
                if coin() { said["settings"] = some(settings).map { given($0) } }
                return said
            })
        try put("secrets.json", secrets.map { secret($0) })
        // Nobody is put by hand into a group that may have a rule.
        let open = groups.filter { !ruled.contains($0) }
        let serials = open.isEmpty ? [] : some(["SN-1", "SN-2", "SN-3"])
        try put(
            "expected-devices.json",
            serials.map { serial -> [String: Any] in
                ["serialNumber": serial, "group": one(open), "trustSerialNumber": true, "awaitConfiguration": coin()]
            })
        for app in some(["com.example.one", "com.example.two", "com.example.three"]) {
            try write(app, groups, secrets)
        }
    }

    private mutating func write(_ app: String, _ groups: [String], _ secrets: [String]) throws {
        var about: [String: Any] = ["name": one(["One", "Zwei & drei", "四"])]
        if coin() { about["teamIdentifier"] = "TEAM123456" }
        try put("apps/\(app)/app.json", about)
        if coin() {
            let specification: [String: Any] = [
                "x-app": ["bundleIdentifier": app],
                "properties": ["title": ["type": "string", "title": one(["A", "B"])]],
            ]
            try put("apps/\(app)/specifications/\(one(["1.0", "2.0"])).json", specification)
        }
        let names = some(["main", "kiosk", "x.y-z_1"])
        for name in names { try put("apps/\(app)/configurations/\(name).json", configuration()) }
        try put(
            "apps/\(app)/sources.json",
            some(["linux", "macos"]).map { platform -> [String: Any] in
                let isManifest = platform == "linux" && coin()
                var source: [String: Any] = ["platform": platform, "origin": isManifest ? "manifest" : "installed"]
                if isManifest { source["location"] = "https://example.org/\(one(["a", "b"])).plist" }
                if coin() { source["minimumOSVersion"] = one(["12", "12.0", "13.4.0", "13.4"]) }
                if coin() { source["install"] = "optional" }
                return source
            })
        try put("apps/\(app)/assignments.json", some(groups).map { assignment(to: $0, of: app, names, secrets) })
    }

    private mutating func assignment(
        to group: String, of app: String, _ names: [String], _ secrets: [String]
    ) -> [String: Any] {
        var assignment: [String: Any] = ["group": group]
        if coin(), !names.isEmpty { assignment["configuration"] = one(names) }
        if coin(), !names.isEmpty { assignment["extensions"] = ["\(app).tunnel": one(names)] }
        if coin() { assignment["lowestTrust"] = one(["launched", "verified", "shared"]) }
        if coin() { assignment["install"] = one(["required", "optional"]) }
        if coin() { assignment["priority"] = one([-5, 0, 7]) }
        if coin() { assignment["delivery"] = one(["framework", "defaults", "both"]) }
        assignment["secrets"] = some(secrets).enumerated().map { index, secret -> [String: Any] in
            var given: [String: Any] = ["kind": "password", "identifier": "p\(index)", "secret": secret]
            if coin() { given["extension"] = "\(app).tunnel" }
            return given
        }
        return assignment
    }

    private mutating func given(_ setting: String) -> [String: Any] {
        var given: [String: Any] = ["kind": "root-certificate", "setting": setting]
        if coin() { given["priority"] = one([-5, 0, 7]) }
        return given
    }

    private mutating func secret(_ name: String) -> [String: Any] {
        var secret: [String: Any] = ["name": name, "kind": "password"]
        if coin() { secret["marker"] = one(["1", "2026-01"]) }
        let variable = "MARTLET_SECRET_\(name.uppercased())"
        secret["from"] = ["environment": variable]
        if coin() { secret["userNameFrom"] = ["environment": variable + "_USER_NAME"] }
        return secret
    }

    private mutating func configuration() -> [String: Any] {
        var value: [String: Any] = [
            "title": one(["x", "ä ö & < > \"", ""]), "count": Int.random(in: -3...3, using: &random),
        ]
        if coin() { value["ratio"] = one([0.5, 1.5e-7, -2.25]) }
        if coin() { value["flags"] = [coin(), coin()] }
        if coin() { value["servers"] = some(["a", "b"]).map { ["host": $0, "ports": [80, 443]] as [String: Any] } }
        return value
    }

    // MARK: Choosing and writing

    private mutating func coin() -> Bool { Bool.random(using: &random) }

    private mutating func one<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    private mutating func some<Value>(_ values: [Value]) -> [Value] {
        var chosen: [Value] = []
        for value in values where coin() || coin() { chosen.append(value) }
        return chosen
    }

    private func put(_ path: String, _ value: Any) throws {
        let file = root.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys]).write(to: file)
    }

    private struct Numbers: RandomNumberGenerator {
        private var state: UInt64

        init(_ seed: UInt64) { state = (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15 }

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }
}
