import DeviceAgent
import Foundation
import Testing

/// For which app speaks what an app has started: B4.
@Suite(.timeLimit(.minutes(10)))
struct AppMemberTests {
    private static let extended = "com.example.extended"

    private static let asking = """
        import os, socket, time
        def ask(connection):
            connection.settimeout(240)
            try:
                connection.sendall(b'{"method":"org.varlink.service.GetInfo"}\\0')
            except OSError:
                pass
            return connection.recv(4096)
        own = socket.socket(fileno=3)
        ask(own)

        """

    /// An update can make an extension restricted whose process of before still runs, in the same cgroup.
    ///
    /// What either of them starts may be the other's, so it is neither; where both are the same, it is theirs.
    @Test(
        .enabled(if: geteuid() == 0 && AppsWithUsers.haveCgroups, "only root gives users, and a kernel gives cgroups"),
        arguments: [(false, "answered\n"), (true, "refused\n")])
    func whatMayBeAnotherIdentitysIsAStranger(isRestrictedNow: Bool, answer: String) throws {
        let apps = try AppsWithUsers()
        defer { apps.end() }
        func start(isRestricted: Bool, _ program: String) throws -> FileHandle {
            try apps.start(
                Self.extended + ".keys", in: ExtensionRole(app: Self.extended, isRestricted: isRestricted),
                Self.asking + program)
        }
        let older = try start(isRestricted: false, "print('here', flush=True); time.sleep(600)")
        #expect(older.line() == "here\n")
        let newer = try start(
            isRestricted: isRestrictedNow,
            """
            if os.fork() == 0:
                other = socket.socket(socket.AF_UNIX)
                other.connect(os.environ["MARTLET_AGENT_SOCKET"])
                reply = ask(other)
                known = "answered" if reply.startswith(b'{"parameters":{') else reply
                print("refused" if b"PermissionDenied" in reply else known, flush=True)
                os._exit(0)
            time.sleep(600)
            """)
        #expect(newer.line() == answer)
    }
}
