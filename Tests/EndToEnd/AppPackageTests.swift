import Foundation
import Testing

/// A developer packs and signs an app with the tools that are there: `martlet`, `openssl`, `tar`.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct AppPackageTests {
    /// From the directory to the verified package; everything the tool says is as a person and a script need it.
    @Test func aPackageIsBuiltSignedVerifiedAndInspected() async throws {
        let desk = try await Desk()
        let built = try await desk.martlet("app build Notes.app --entitlements rights.plist -o notes.tar.zst --json")
        #expect(built["bundleIdentifier"] as? String == "com.example.notes")
        #expect(built["signed"] as? Bool == false)
        let signed = try await desk.martlet("app sign notes.tar.zst --certificate team.pem --key team.key --json")
        #expect(signed["composedIdentifier"] as? String == "com.example.notes (TEAM123456)")
        let verified = try await desk.martlet("app verify notes.tar.zst --trust ca.pem --team TEAM123456 --json")
        #expect(verified["team"] as? String == "TEAM123456")
        #expect((verified["signer"] as? [String: Any])?["name"] as? String == "Notes Team")
        let text = try await desk.run("martlet app verify notes.tar.zst --trust team.pem")
        #expect(text.contains("com.example.notes 1.2, 5 files"), "\(text)")
        #expect(text.contains("Signed by “Notes Team” of team TEAM123456."), "\(text)")
        #expect(try await desk.run("ls | grep -v -e pem -e key -e py") == Desk.leftovers)
    }

    /// S2-SIZE-03, S2-SIZE-05: what is in a package, who says so, and what could be less.
    @Test func inspectShowsWhatIsInAPackageAndWhatIsWaste() async throws {
        let desk = try await Desk()
        _ = try await desk.run(
            """
            printf 'RIFF....WAVEfmt ....\\001\\000\\002\\000\\104\\254\\000\\000' > Notes.app/Resources/chime.wav &&
            head -c 9000 /dev/zero > Notes.app/Resources/lost.bin && touch Notes.app/.DS_Store &&
            martlet app build Notes.app --entitlements rights.plist -o n
            """)
        let unsigned = try await desk.run("martlet app inspect n")
        #expect(unsigned.contains("signed by   nobody"), "\(unsigned)")
        #expect(try await desk.shell("martlet app inspect n --trust ca.pem").status == 4)
        _ = try await desk.run("martlet app sign n --certificate team.pem --key team.key")
        let text = try await desk.run("martlet app inspect n --trust ca.pem")
        for part in [
            "com.example.notes", "1.2 (12)", "TEAM123456", "that of a trusted team", "keychain-access-groups",
            "com.apple.keyboard-service", "9.0 kB", "Resources/chime.wav (28 bytes) is uncompressed sound",
            "Resources/lost.bin (9.0 kB) is named by no file", ".DS_Store (0 bytes) is left over",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
        #expect(try await desk.shell("martlet app inspect n --trust stranger.pem").status == 4)
        let report = try await desk.martlet("app inspect n --json")
        #expect(report["trusted"] as? Bool == false)
        #expect((report["files"] as? [[String: Any]])?.first?["path"] as? String == "Resources/lost.bin")
        #expect((report["extensions"] as? [[String: Any]])?.first?["restricted"] as? Bool == true)
        let rights = (report["entitlements"] as? [String: Any])?["keychain-access-groups"] as? [String]
        #expect(rights == ["TEAM123456.shared"])
        let kinds = (report["warnings"] as? [[String: Any]])?.compactMap { $0["kind"] as? String }
        #expect(kinds == ["unmentioned", "uncompressedSound", "sampleRate", "leftover"])
    }

    /// Equal files give equal bytes, whenever and wherever they are packed.
    @Test func theSameFilesGiveTheSamePackage() async throws {
        let desk = try await Desk()
        _ = try await desk.run(
            """
            martlet app build Notes.app -o one.tar.zst && cp -r Notes.app Other.app &&
            touch -d 2001-01-01 Other.app/Info.plist && martlet app build Other.app -o other.tar.zst &&
            cmp one.tar.zst other.tar.zst
            """)
    }

    /// Programs that were not written here open a package and find its signature good.
    @Test func tarOpensAPackageAndOpenSSLVerifiesIt() async throws {
        let desk = try await Desk()
        let text = try await desk.run(
            """
            martlet app build Notes.app --entitlements rights.plist -o n && martlet app sign n --pkcs12 team.p12 \
            --password-fd 3 3< password.txt && mkdir out && tar --zstd -xf n -C out && cd out &&
            openssl cms -verify -binary -inform DER -in _Package/signature.p7s -content _Package/list \
            -CAfile ../ca.pem -purpose any -out /dev/null &&
            sed 1d _Package/list | while read -r mode size digest path; do echo "$digest  $path"; done | sha256sum -c &&
            diff -r --exclude=_Package . ../Notes.app && ./Notes && cmp _Package/entitlements.plist ../rights.plist
            """)
        #expect(text.contains("CMS Verification successful"), "\(text)")
        #expect(text.contains("Notes: OK") && text.contains("take note"), "\(text)")
    }

    /// A signature that OpenSSL made is as good as ours.
    @Test func aSignatureByOpenSSLIsVerified() async throws {
        let desk = try await Desk()
        _ = try await desk.run(
            """
            martlet app build Notes.app -o n && tar --zstd -xOf n _Package/list > list &&
            openssl cms -sign -binary -in list -signer team.pem -inkey team.key -outform DER -nosmimecap -out s.p7s \
            -md sha256 && python3 pack.py s.p7s | zstd -q > signed && cat n >> signed &&
            martlet app verify signed --trust ca.pem
            """)
    }

    /// Each refusal names its rule and ends with the status that scripts look at.
    @Test func whatIsNotRightIsRefusedByTheRuleItBreaks() async throws {
        let desk = try await Desk()
        _ = try await desk.run(
            """
            martlet app build Notes.app -o unsigned && cp unsigned n &&
            martlet app sign n --certificate team.pem --key team.key
            """)
        for (command, status, rule) in [
            ("martlet app verify unsigned --trust ca.pem", 4, "the package is not signed"),
            ("martlet app verify n --trust stranger.pem", 4, "not one that is trusted here"),
            ("martlet app verify n --trust ca.pem --team TEAM654321", 4, "by another team than the one demanded"),
            ("martlet app verify n --trust ca.pem --at 2100-01-01", 4, "has expired"),
            ("martlet app verify n --trust ca.pem --at 2001-01-01", 4, "not valid yet"),
            ("martlet app verify nothing --trust ca.pem", 3, "cannot be read"),
            // Red where the file was not named, or not what is wrong with it.
            ("martlet app inspect nothing", 3, "nothing cannot be read: No such file or directory"),
            ("martlet app inspect Notes.app", 4, "Notes.app is a directory, not a package"),
            ("martlet app inspect Notes.app/Info.plist", 4, "Notes.app/Info.plist: this is not an app package"),
            ("martlet app verify n --trust Notes.app", 4, "a directory is named where a file is needed"),
            (": > void && martlet app verify n --trust void", 4, "a file is empty"),
            ("martlet app verify Notes.app/Info.plist --trust ca.pem", 4, "not an app package"),
            ("head -c 600 n > cut && martlet app verify cut --trust ca.pem", 4, "ends too early"),
            ("cp n long && echo >> long && martlet app verify long --trust ca.pem", 4, "more than its list says"),
            ("martlet app verify n", 64, "--trust"),
            ("martlet app sign n --certificate team.pem --key team.key", 4, "signed already"),
            ("martlet app sign unsigned --certificate team.pem --key ca.key -o x", 4, "not that of the certificate"),
            ("martlet app sign unsigned --certificate ended.pem --key team.key -o x", 4, "has expired"),
            (
                "martlet app sign unsigned --certificate ca.pem --key ca.key -o x", 4,
                "not for digital signatures of code"
            ),
            ("martlet app sign unsigned --pkcs12 team.p12 -o x < /dev/null", 1, "standard input is no terminal"),
            ("echo wrong | martlet app sign unsigned --pkcs12 team.p12 --password-stdin -o x", 4, "does not open"),
            ("ln -s /etc/passwd Notes.app/link && martlet app build Notes.app -o x", 4, "no symbolic links"),
            (
                "rm Notes.app/link && mkfifo Notes.app/pipe && martlet app build Notes.app -o x", 4,
                "files and directories only"
            ),
            ("rm Notes.app/pipe && chmod u+s Notes.app/Notes && martlet app build Notes.app -o x", 4, "setuid"),
            ("chmod 644 Notes.app/Notes && martlet app build Notes.app -o x", 4, "CFBundleExecutable"),
        ] {
            let (found, text) = try await desk.shell(command)
            #expect(found == status && text.contains(rule), "\(command): \(found) \(text)")
        }
        #expect(try await desk.shell("ls x").status != 0)
        let (_, json) = try await desk.shell("martlet app verify unsigned --trust ca.pem --json")
        #expect(json.hasPrefix("{\"error\":{\"reason\":\"unsigned: the package is not signed\""), "\(json)")
    }

    /// One changed byte, wherever it is: packed again by somebody who has no key.
    @Test func aTamperedFileIsRefusedWhoeverPackedItAgain() async throws {
        let desk = try await Desk()
        _ = try await desk.run(
            """
            martlet app build Notes.app -o n && martlet app sign n --certificate team.pem --key team.key &&
            zstd -q -d -c n > n.tar && sed 's/take note/take cash/' n.tar > changed.tar && ! cmp -s n.tar changed.tar &&
            python3 repack.py changed.tar > again && python3 repack.py n.tar > same
            """)
        _ = try await desk.run("martlet app verify same --trust ca.pem")
        let (status, text) = try await desk.shell("martlet app verify again --trust ca.pem")
        #expect(status == 4 && text.contains("not the one whose digest was listed"), "\(text)")
    }

    /// A password is no argument, but need not be typed.
    @Test func aPasswordIsTakenFromTheEnvironmentToo() async throws {
        let desk = try await Desk()
        _ = try await desk.run(
            """
            martlet app build Notes.app -o n && MARTLET_SIGNING_PASSWORD=secret martlet app sign n --pkcs12 team.p12 &&
            martlet app verify n --trust ca.pem
            """)
        #expect(try await desk.shell("martlet app sign n --pkcs12 team.p12 --password secret").status == 64)
    }
}

/// A developer's folder: an app, a team's authority, its certificates; gone afterwards.
private final class Desk {
    private let folder: URL

    /// What lies here beside keys and scripts once a package was made: nothing half done.
    static let leftovers = "Notes.app\nnotes.tar.zst\npassword.txt\nrights.plist\nteam.csr\nteam.ext\nteam.p12\n"

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "app-package-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "Notes.app/Resources"), withIntermediateDirectories: true)
        for (name, text) in [
            ("Notes.app/Info.plist", Self.information), ("Notes.app/Notes", "#!/bin/sh\necho take note\n"),
            ("Notes.app/Resources/one.txt", "one"), ("Notes.app/Resources/other.txt", "other"),
            ("rights.plist", Self.rights), ("password.txt", "secret\n"), ("team.ext", Self.usage),
            ("pack.py", Self.pack), ("repack.py", Self.repack),
        ] {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        _ = try await run(
            """
            chmod 755 Notes.app/Notes
            openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 30 -subj '/O=Example/CN=Team CA' \
              -addext keyUsage=critical,keyCertSign 2>/dev/null &&
            openssl req -x509 -newkey rsa:2048 -nodes -keyout stranger.key -out stranger.pem -days 30 \
              -subj '/O=Example/CN=Team CA' 2>/dev/null &&
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout team.key -out team.csr \
              -subj '/O=Example/OU=TEAM123456/CN=Notes Team' 2>/dev/null &&
            openssl x509 -req -in team.csr -CA ca.pem -CAkey ca.key -days 30 -extfile team.ext -out team.pem 2>/dev/null &&
            openssl x509 -req -in team.csr -CA ca.pem -CAkey ca.key -days -1 -extfile team.ext -out ended.pem 2>/dev/null &&
            openssl pkcs12 -export -in team.pem -inkey team.key -certfile ca.pem -passout file:password.txt -out team.p12 &&
            rm -f ca.srl
            """)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// What a command prints, which must succeed.
    @discardableResult
    func run(_ command: String) async throws -> String {
        let (status, text) = try await shell(command)
        guard status == 0 else { throw Failed(description: "\(command): \(status)\n\(text)") }
        return text.isEmpty ? text : text + "\n"
    }

    func martlet(_ arguments: String) async throws -> [String: Any] {
        let text = try await run("martlet " + arguments)
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    func shell(_ command: String) async throws -> (status: Int32, text: String) {
        var environment = Road.environment(folder)
        let tools = Road.binary("martlet").deletingLastPathComponent().path
        environment["PATH"] = tools + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
        let process = try RunningProcess(
            "sh", URL(filePath: "/bin/sh"), ["-c", "cd \"$1\" && \(command)", "sh", folder.path],
            environment: environment)
        guard let status = try await process.exit() else {
            process.killNow()
            return (-1, "did not end")
        }
        try await process.drained()
        return (status, process.output.map(\.text).joined(separator: "\n"))
    }

    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    private static let information = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>com.example.notes</string>
        <key>CFBundleExecutable</key><string>Notes</string>
        <key>CFBundleVersion</key><string>12</string>
        <key>CFBundleShortVersionString</key><string>1.2</string>
        <key>MartletExtensions</key><array><dict>
        <key>CFBundleIdentifier</key><string>com.example.notes.keys</string>
        <key>CFBundleExecutable</key><string>Notes</string>
        <key>NSExtensionPointIdentifier</key><string>com.apple.keyboard-service</string>
        <key>MartletRestricted</key><true/>
        </dict></array>
        </dict></plist>
        """
    private static let rights = """
        <plist version="1.0"><dict><key>keychain-access-groups</key>
        <array><string>TEAM123456.shared</string></array></dict></plist>
        """
    private static let usage = "keyUsage=critical,digitalSignature\nextendedKeyUsage=codeSigning\n"

    /// Puts a signature into the container's first member, by the page that describes the form.
    private static let pack = """
        import sys
        content = open(sys.argv[1], "rb").read()
        header = bytearray(512)
        for place, text in [
            (0, "_Package/signature.p7s"), (100, "0000644"), (108, "0000000"), (116, "0000000"),
            (124, "%011o" % len(content)), (136, "0" * 11), (148, " " * 8), (156, "0"), (257, "ustar"), (263, "00"),
            (329, "0000000"), (337, "0000000"),
        ]:
            header[place : place + len(text)] = text.encode()
        header[148:156] = b"%06o\\0 " % sum(header)
        sys.stdout.buffer.write(header + content + bytes(-len(content) % 512))

        """
    /// Compresses the first member apart from the rest, as packages have it.
    private static let repack = """
        import subprocess, sys
        content = open(sys.argv[1], "rb").read()
        size = 512 + (int(content[124:135], 8) + 511) // 512 * 512
        for part in content[:size], content[size:]:
            sys.stdout.buffer.write(subprocess.run(["zstd", "-q"], input=part, stdout=subprocess.PIPE, check=True).stdout)

        """
}
