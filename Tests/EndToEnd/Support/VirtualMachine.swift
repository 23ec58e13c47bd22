import Foundation
import Synchronization
import Testing

/// A machine with Debian 12's own kernel, emulated: it sees this one's files, and what it writes stays in its memory.
///
/// `make vm` fetches what it takes; without that its tests are skipped. Nothing in it is fast.
struct VirtualMachine {
    static let folder = ProcessInfo.processInfo.environment["MARTLET_VM"].map { URL(filePath: $0) }
    static var isThere: Bool { folder != nil }

    // Emulated, every program takes ten times as long as here and more, and reads its files through the host.
    static let patience = Duration.seconds(600)

    let console: RunningProcess

    /// Boots it with more of the kernel's options, and has it run a shell script; on a network only if `isOnNetwork`.
    init(
        on road: Road, kernelOptions: String = "", isOnNetwork: Bool = false, running script: String
    ) throws {
        let folder = try #require(Self.folder)
        let file = road.home.appending(path: "guest-\(UUID().uuidString.prefix(8)).sh")
        let head = "export PATH=/usr/sbin:/usr/bin:/sbin:/bin MARTLET_AGENT_TPM=none\n" + Self.words
        try Data((head + "echo; echo \"kernel: $(uname -r)\"\n" + script).utf8).write(to: file)
        console = try RunningProcess(
            "virtual machine", URL(filePath: "/usr/bin/qemu-system-x86_64"),
            [
                "-accel", "tcg,thread=multi", "-cpu", "max", "-m", "2048", "-smp", "2", "-nographic", "-nodefaults",
                "-no-reboot", "-serial", "stdio", "-kernel", folder.appending(path: "vmlinuz").path, "-initrd",
                folder.appending(path: "initrd.gz").path, "-append",
                "console=ttyS0 quiet panic=-1 \(kernelOptions) martlet.script=\(file.path)", "-fsdev",
                "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap", "-device",
                "virtio-9p-pci,fsdev=host,mount_tag=host",
            ] + (isOnNetwork ? ["-netdev", "user,id=net", "-device", "virtio-net-pci,netdev=net,romfile="] : []),
            environment: Road.environment(road.home))
        road.processes.withLock { [console] in $0.append(console) }
    }

    /// What it has said once its script has ended, each line without the console's carriage return.
    func said() async throws -> [String] {
        _ = try await console.line(containing: "guest: end", within: Self.patience)
        return console.output.map { $0.text.trimmingCharacters(in: .whitespacesAndNewlines) }
    }

    /// What a program said in it whose lines were sent through `named NAME`.
    static func told(_ name: String, _ said: [String]) -> [String] {
        said.filter { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
    }

    /// The beginning of a script: `named NAME` puts a name before each line, `awaited FILE TEXT` waits until a text is in a
    /// file.
    private static let words = """
        named() { sed -u "s/^/$1: /"; }
        awaited() { for i in $(seq 900); do grep -q "$2" "$1" 2>/dev/null && return; sleep 0.2; done
            echo "guest: $2 did not come"; tail -n 20 "$1"; }

        """

    /// Part of a script: an agent that is ready, its number `agent`, and `opened NAME BUNDLE ARGUMENTS`, which says what an
    /// app said.
    static func agent(of road: Road, in directory: String? = nil) -> String {
        let program = Road.binary("martlet-agent").path
        let directory = directory ?? road.agentDirectory
        return """
            '\(program)' run --directory '\(directory)' --apps '\(road.home.path)/apps' >/run/agent.log 2>&1 &
            agent=$!
            awaited /run/agent.log 'martlet-agent ready'
            opened() { name=$1; shift; bundle=$1; shift
                timeout 120 '\(program)' open "$bundle" --directory '\(directory)' -- "$@" </dev/null 2>&1 \
                | named $name; }

            """
    }

    /// Part of a script: what is this machine's localhost is the guest's, too.
    static let reachingThisMachine = """
        /bin/busybox ip link set eth0 up && /bin/busybox ip address add 10.0.2.15/24 dev eth0
        echo 10.0.2.2 localhost >/etc/hosts

        """
}
