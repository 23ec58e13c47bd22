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

    /// Boots it with more of the kernel's options, and has it run a shell script.
    init(on road: Road, kernelOptions: String = "", running script: String) throws {
        let folder = try #require(Self.folder)
        let file = road.home.appending(path: "guest-\(UUID().uuidString.prefix(8)).sh")
        let head = "export PATH=/usr/sbin:/usr/bin:/sbin:/bin MARTLET_AGENT_TPM=none\n"
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
            ], environment: Road.environment(road.home))
        road.processes.withLock { [console] in $0.append(console) }
    }

    /// What it has said once its script has ended, each line without the console's carriage return.
    func said() async throws -> [String] {
        _ = try await console.line(containing: "guest: end", within: Self.patience)
        return console.output.map { $0.text.trimmingCharacters(in: .whitespacesAndNewlines) }
    }

    /// The beginning of a script: an agent that is ready, and `opened NAME BUNDLE ARGUMENTS`, which says what an app said.
    static func agent(of road: Road, in directory: String? = nil) -> String {
        let program = Road.binary("martlet-agent").path
        let directory = directory ?? road.agentDirectory
        return """
            '\(program)' run --directory '\(directory)' --apps '\(road.home.path)/apps' \
            >/run/agent.log 2>&1 &
            for i in $(seq 600); do grep -q 'martlet-agent ready' /run/agent.log && break; sleep 0.2; done
            opened() { name=$1; shift; bundle=$1; shift
                timeout 60 '\(program)' open "$bundle" --directory '\(directory)' -- "$@" </dev/null 2>&1 \
                | sed -u "s/^/$name: /"; }

            """
    }
}
