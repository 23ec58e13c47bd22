import Foundation
import GuideBlocks
import Testing

/// A folder with all that the guides' commands read, and a shell in it.
struct GuideDesk {
    private let home: URL
    private let environment: [String: String]

    /// Lays everything out beside a server, and enrolls a device, which the guides call `$DEVICE`.
    init(on road: Road) async throws {
        home = road.home
        let products = Road.binary("martlet").deletingLastPathComponent().path
        var environment = Road.environment(home)
        environment["PATH"] = products + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
        environment["PRODUCTS"] = products
        environment["MARTLET_DATA_DIRECTORY"] = road.serverDirectory
        environment["SERVER"] = road.url
        environment["CA_FILE"] = road.authority
        environment["MARTLET_PASSWORD"] = road.password
        let device = try await road.enroll(code: road.enrollmentCode(), directory: road.agentDirectory)
        environment["DEVICE"] = device
        self.environment = environment
        try files(of: device)
        let made = try await shell(Self.preparation)
        try #require(made.status == 0, "\(made.text)")
    }

    private func files(of device: String) throws {
        let values = [
            ("password.txt", "planted-one"), ("new-password.txt", "planted-two"),
            ("badge-password.txt", "planted-badge"), ("people.csv", "userName,fullName,email\nben,Ben,ben@example.com"),
            ("devices.csv", "serialNumber\nLAB-0002"),
            ("attributes.csv", "device,location,assetTag\n\(device),Room 14,4712"),
            ("passwords.csv", "serialNumber,password\n\(device),planted-own"),
            ("people-passwords.csv", "person,password\nanna,planted-person\nben,planted-own"),
            (
                "personal.json",
                #"{"managedCollection": {"title": "For ${person.fullName}", "landmarks": [1001, 1004]}}"#
            ),
            ("collection.json", #"{"managedCollection": {"title": "Parks to visit", "landmarks": [1001, 1004]}}"#),
            ("wifi.mobileconfig", "<plist><dict><key>PayloadType</key><string>Configuration</string></dict></plist>"),
        ]
        for (name, text) in values { try Data("\(text)\n".utf8).write(to: home.appending(path: name)) }
        try FileManager.default.createSymbolicLink(
            at: home.appending(path: "Examples"), withDestinationURL: Guide.tree.appending(path: "Examples"))
    }

    private static let preparation = """
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=Badge -days 30 \
        -keyout badge.key -out root.pem 2>/dev/null &&
        openssl pkcs12 -export -in root.pem -inkey badge.key -passout file:badge-password.txt -out badge.p12 &&
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /OU=TEAM123456/CN=Team -days 30 \
        -addext keyUsage=critical,digitalSignature -addext extendedKeyUsage=codeSigning \
        -addext basicConstraints=critical,CA:FALSE -keyout team.key -out team.pem 2>/dev/null &&
        mkdir L.app && printf '#!/bin/sh\\n' > L.app/L && chmod 755 L.app/L &&
        printf '<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.landmarks</string>\
        <key>CFBundleExecutable</key><string>L</string><key>CFBundleVersion</key><string>1</string></dict></plist>' \
        > L.app/Info.plist && martlet app build L.app -o landmarks.tar.zst &&
        martlet app sign landmarks.tar.zst --certificate team.pem --key team.key &&
        cp Examples/Landmarks/specification.json specification.json && cp specification.json old.json && \\
        cp specification.json new.json && martlet spec example specification.json > configuration.plist && \\
        mkdir -p .build/debug && ln -s "$PRODUCTS/Landmarks" .build/debug/Notes
        """

    /// What a command says, and with which status it ends.
    func shell(_ command: String) async throws -> (status: Int32, text: String) {
        let process = try RunningProcess(
            "sh", URL(filePath: "/bin/sh"), ["-ec", "cd \"$1\"\n\(command)", "sh", home.path], environment: environment)
        guard let status = try await process.exit() else {
            process.killNow()
            return (-1, "did not end")
        }
        try await process.drained()
        return (status, process.output.map(\.text).joined(separator: "\n"))
    }
}
