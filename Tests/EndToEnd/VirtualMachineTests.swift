import Foundation
import PlayedAgent
import SwiftASN1
import Testing
import X509

/// What this machine's kernel does otherwise, on Debian 12's own, Linux 6.1: `make vm`.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(30)), .enabled(if: VirtualMachine.isThere, "make vm has it"))
struct VirtualMachineTests {
    private static let withheld = "dev.martlet.App.SecretsWithheld"
    private static let needsIdentification = "dev.martlet.App.IdentificationNeeded"

    /// Its Landlock is the second version: what that does not know is not ruled, files are.
    @Test func debiansKernelIsolatesApps() async throws {
        try await Nosy.with(startsAgent: false) { nosy in
            let machine = try VirtualMachine(
                on: nosy.road,
                running: VirtualMachine.agent(of: nosy.road) + nosy.script("free") + nosy.script("bound"))
            let said = try await machine.said()
            #expect(said.contains { $0.hasPrefix("kernel: 6.1.") }, "\(said)")
            #expect(Nosy.attempts("free", said).done == Nosy.forbidden.union(Nosy.allowed))
            let bound = Nosy.attempts("bound", said)
            #expect(bound.done == Nosy.allowed.union(["temporary", "abstract-socket"]))
            #expect(bound.refused == Nosy.forbidden.subtracting(["abstract-socket"]))
        }
    }

    /// An app that wants isolation is not launched otherwise, and whoever opens it reads why; others are launched.
    @Test func withoutLandlockAnIsolatedAppIsNotLaunched() async throws {
        try await Nosy.with(startsAgent: false) { nosy in
            let machine = try VirtualMachine(
                on: nosy.road, kernelOptions: "lsm=yama",
                running: VirtualMachine.agent(of: nosy.road) + nosy.script("bound") + nosy.script("free"))
            let said = try await machine.said()
            let bound = VirtualMachine.told("bound", said)
            #expect(bound.count == 1 && bound[0].contains("which takes a kernel with Landlock"), "\(bound)")
            #expect(Nosy.attempts("free", said).done == Nosy.forbidden.union(Nosy.allowed))
        }
    }

    /// It does not say who is behind a socket: what connects is trusted less, what is launched as much (D7, A12).
    ///
    /// Attacks in which a number or a program changes hands work on a server that knows its callers by digest.
    @Test func onDebiansKernelWhatConnectsIsTrustedLess() async throws {
        try await SignedApp.with { app in
            try await app.road.stop(try app.road.agent)
            let machine = try VirtualMachine(
                on: app.road, running: VirtualMachine.agent(of: app.road) + (try app.oldKernelScript()))
            let said = try await machine.said()
            #expect(said.contains { $0.hasPrefix("kernel: 6.1.") }, "\(said)")
            func told(_ name: String) -> String { VirtualMachine.told(name, said).last ?? "nothing" }
            #expect(told("launched") == "launched: \(SignedApp.secret)")
            #expect(told("connects") == "launched-connects: \(Self.needsIdentification)")
            #expect(told("proves") == "answered: \(SignedApp.secret)")
            #expect(told("child") == "child-connects: \(Self.needsIdentification)")
            #expect(told("configured").count == "configured: ".count + 64, "\(told("configured"))")
            #expect(told("answered") == "answered: \(Self.withheld)")
            #expect(told("child-answers").hasPrefix("child-answers: hung up"), "\(told("child-answers"))")
            for attack in ["exec-after-connect", "reuse-number"] {
                #expect(told("naive-" + attack) == "\(attack): \(Impostors.secret)")
                #expect(told(attack).hasPrefix("\(attack): hung up"), "\(told(attack))")
            }
        }
    }

    /// D2: an app of our library has what was assigned to it without more, its secrets too.
    @Test func theLibraryHasItsSecretsOnDebiansKernel() async throws {
        try await Road.with { road in
            let app = try await SecretsAppOnRoad.installed(on: road)
            try await road.enroll()
            try await road.setPassword("vault", "for-the-library")
            try await app.give("vault", as: "account")
            try await road.synchronised()
            try await road.stop(try road.agent)
            let machine = try VirtualMachine(
                on: road,
                running: VirtualMachine.agent(of: road)
                    + "opened library \(app.app.identifier) ask password account\n")
            let said = try await machine.said()
            #expect(said.contains { $0.hasPrefix("kernel: 6.1.") }, "\(said)")
            #expect(
                VirtualMachine.told("library", said) == ["password account=\(sum("for-the-library"))"], "\(said)")
        }
    }

    /// D2: the sample app has its identity and its certificate there, and downloads with both what its server has.
    @Test func landmarksDownloadsWithItsSecretsOnDebiansKernel() async throws {
        let authority = try TestAuthority("Assets")
        try await Road.with { road in
            try await road.setCertificate("asset-root", pem: try authority.certificate.serializeAsPEM().pemString)
            try await road.enroll()
            let file = try await road.makePKCS12("device-1", password: "of-device-1")
            try await road.setIdentity("client", pkcs12: file, password: "of-device-1")
            let clients = try await road.shell("cat device-1.pem")
            let answer = WebServer.Answer(body: #"[{"id": 2001, "name": "Library", "place": "at home"}]"#)
            try await WebServer.run(by: authority, clients: clients, answer: { _ in answer }) { server in
                try await road.configure(
                    json: #"{"assetURL": "\#(server.url)/landmarks.json", "assetAuthority": "asset-root"}"#)
                try await road.assign()
                try await road.give("asset-root", to: Road.app, as: "asset-root")
                try await road.give("client", to: Road.app, as: "asset-server")
                try await road.synchronised()
                try await road.stop(try road.agent)
                let machine = try VirtualMachine(
                    on: road, isOnNetwork: true,
                    running: VirtualMachine.reachingThisMachine + VirtualMachine.agent(of: road)
                        + "opened landmarks \(Road.app)\n")
                let said = try await machine.said()
                #expect(said.contains { $0.hasPrefix("kernel: 6.1.") }, "\(said)")
                let told = VirtualMachine.told("landmarks", said)
                #expect(told.contains { $0.contains("2001  Library, at home") }, "\(said)")
                #expect(server.subjects.first == "CN=device-1,O=Example")
            }
        }
    }

    /// The agent installs on a file system with fs-verity, and root is refused to write to what it installed.
    @Test func anInstalledAppsFilesAreImmutableWhereThereIsVerity() async throws {
        try await Road.with { road in
            let developer = try await Developer.on(road)
            try await road.enroll()
            try await road.stop(try road.agent)
            try await developer.configure("Autumn")
            try await developer.publish("1.0")
            try await developer.viewer.assign()
            let machine = try VirtualMachine(
                on: road, isOnNetwork: true,
                running: VirtualMachine.reachingThisMachine + Self.verity(road)
                    + VirtualMachine.agent(of: road, in: "/run/disk/agent") + Self.installed)
            let said = try await machine.said()
            let listed = VirtualMachine.told("listed", said)
            #expect(listed.contains { $0.contains(#""isImmutable" : true"#) }, "\(said)")
            let written = VirtualMachine.told("written", said), refused = VirtualMachine.told("refused", said)
            #expect(written == ["kept"])
            #expect(refused.count == 5 && refused.contains("viewer") && refused.contains("part.txt"), "\(refused)")
        }
    }

    /// The agent's directory on a file system of its own.
    private static func verity(_ road: Road) -> String {
        """
        truncate -s 900M /run/disk.image && mkfs.ext4 -q -O verity -b 4096 /run/disk.image
        mkdir /run/disk && mount -o loop /run/disk.image /run/disk && cp -a '\(road.agentDirectory)' /run/disk/agent

        """
    }

    /// What is said of the app once it is installed; then it writes to each of its files, and to one to which it can.
    private static let installed = """
        awaited /run/agent.log 'an app was installed'
        '\(Road.binary("martlet-agent").path)' app list --json --directory /run/disk/agent 2>&1 | named listed
        echo kept >/run/disk/kept
        find /run/disk/kept /run/disk/agent/managed-apps -type f | while read -r file; do
            if { echo changed >>"$file"; } 2>/dev/null; then echo written; else echo refused; fi | sed "s/$/: ${file##*/}/"
        done

        """
}

extension SignedApp {
    /// What is tried in a virtual machine.
    ///
    /// `elsewhere NAME WHAT` starts the app's program without the agent; `attacked NAME SOCKET ATTACK USER SAID` has
    /// somebody become it, of which the agent hears only when `SAID` was said.
    fileprivate func oldKernelScript() throws -> String {
        let caller = try impostors.script("caller.py"), stranger = try impostors.script("stranger.py")
        let naive = try impostors.script("naive.py"), agent = impostors.agentSocket
        return """
            as() { user=$1; shift; setpriv --reuid=$user --regid=$user --clear-groups env PYTHONHOME=/usr "$@"; }
            elsewhere() {
                as 65534 MARTLET_AGENT_SOCKET='\(agent)' timeout 120 '\(program)' '\(caller)' $2 2>&1 | named $1; }
            attacked() { name=$1 socket=$2 attack=$3 user=$4 said=$5
                kill -STOP $agent
                as $user /usr/bin/python3 '\(stranger)' $attack "$socket" '\(program)' '\(caller)' sleeps >/run/$name 2>&1 &
                awaited /run/$name "$said"
                kill -CONT $agent
                awaited /run/$name "$attack: "
                named $name </run/$name; }
            export PYTHONHOME=/usr
            opened launched \(identifier) '\(caller)' launched
            opened connects \(identifier) '\(caller)' launched-connects
            opened proves \(identifier) '\(caller)' answered
            opened child com.example.victim child-connects
            elsewhere configured configured
            elsewhere answered answered
            elsewhere child-answers child-answers
            python3 '\(naive)' /run/naive digest '\(program)' >/run/naive.log 2>&1 &
            awaited /run/naive.log listening
            for place in naive- ''; do
                [ -n "$place" ] && socket=/run/naive || socket='\(agent)'
                attacked ${place}exec-after-connect "$socket" exec-after-connect 65534 'program is another'
                attacked ${place}reuse-number "$socket" reuse-number 0 'number is taken'
            done

            """
    }
}
