#!/usr/bin/python3
"""What a program tries that is no app, against an agent or the naive server: each says what it was told."""
import array, ctypes, json, os, socket, struct, sys, time

CALL = json.dumps({"method": "dev.martlet.App.GetPassword", "parameters": {"identifier": "account"}}).encode() + b"\0"


def ask(end):
    end.settimeout(240)
    try:
        end.sendall(CALL)
    except BrokenPipeError:
        pass  # What was said before it hung up can still be read.
    try:
        text = b""
        while not text.endswith(b"\0"):
            more = end.recv(65536)
            if not more:
                return "hung up"
            text += more
    except OSError as error:
        return f"hung up ({error.strerror})"
    reply = json.loads(text[:-1])
    return reply.get("error") or reply["parameters"]["password"]


def connected(path):
    end = socket.socket(socket.AF_UNIX)
    end.connect(path)
    return end


def exec_after_connect(path, *program):
    """Connects, leaves the stream to a child, and becomes the trusted program; the child asks."""
    end = connected(path)
    me = os.getpid()
    before = command(me)
    if os.fork() == 0:
        while command(me) == before:
            time.sleep(0.01)
        print("the program is another", flush=True)
        print(f"exec-after-connect: {ask(end)}", flush=True)
        os._exit(0)
    os.execv(program[0], program)


def reuse_number(path, *program):
    """Connects and ends, its stream left to a child; then the trusted program gets its number, and the child asks."""
    first = os.fork()
    if first == 0:
        end = connected(path)
        me = os.getpid()
        if os.fork() == 0:
            while not command(me).startswith(program[0].encode()):
                time.sleep(0.01)
            print("the number is taken", flush=True)
            print(f"reuse-number: {ask(end)}", flush=True)
        os._exit(0)
    os.waitpid(first, 0)
    child = 0
    while child != first:
        with open("/proc/sys/kernel/ns_last_pid", "w") as last:
            last.write(str(first - 1))
        child = os.fork()
        if child == 0:
            if os.getpid() == first:
                os.execv(program[0], program)
            os._exit(0)
        if child != first:
            os.waitpid(child, 0)
    os.waitpid(child, 0)


def enter(cgroup, path):
    """Asks from inside an app's cgroup, as whoever it is."""
    with open(cgroup + "/cgroup.procs", "w") as members:
        members.write("0")
    print(f"enter: {ask(connected(path))}", flush=True)


def crowd(path, count):
    """As many connections as are heard, kept until it is ended."""
    ends = [connected(path) for _ in range(count)]
    print(f"crowd: {sum(not ask(end).startswith('hung up') for end in ends)}", flush=True)
    time.sleep(600)


def linger(path, seconds):
    """Leaves the last of a socket to whoever closes it, who then waits for bytes that nobody reads."""
    listener = socket.create_server(("127.0.0.1", 0))
    ours = socket.create_connection(listener.getsockname())
    far, _ = listener.accept()
    ours.setblocking(False)
    try:
        while True:
            ours.send(bytes(65536))
    except BlockingIOError:
        pass
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, seconds))
    end = connected(path)
    try:
        # More than a command lends to an app.
        rights = array.array("i", [ours.fileno()] * 4)
        end.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        sent = "sent"
    except OSError as error:
        sent = os.strerror(error.errno)
    print(f"linger: {sent}", flush=True)
    # If the agent let go of it before, this is the last, and it lingers here.
    ours.close()
    time.sleep(600)


def flood(path, seconds):
    """Connects without end, says nothing, and does not wait."""
    count, end = 0, time.monotonic() + seconds
    print("flood: begun", flush=True)
    while time.monotonic() < end:
        try:
            connected(path).close()
            count += 1
        except OSError:
            pass
    print(f"flood: {count}", flush=True)
    time.sleep(600)


def opens(path, bundle, count):
    """Opens an app again and again, without waiting for its end; how often that was refused, and why."""
    refused = []
    call = {"method": "dev.martlet.Control.Open", "more": True,
            "parameters": {"bundleIdentifier": bundle, "arguments": ["ask"], "environment": {}}}
    null = os.open("/dev/null", os.O_RDWR)
    for _ in range(count):
        end = connected(path)
        end.sendmsg([json.dumps(call).encode() + b"\0"],
                    [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [null] * 3))])
        text = end.recv(65536)
        error = json.loads(text.split(b"\0")[0]).get("error") if text else "hung up"
        if error:
            refused.append(error.split(".")[-1])
    print(f"opens: {len(refused)} {' '.join(sorted(set(refused)))}", flush=True)


def forge(path, *program):
    """In namespaces of one's own: connects, leaves the stream to a child, becomes the trusted program; then the child names
    it as the sender of what it says itself, and answers its challenge."""
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()
    if libc.unshare(0x10000000 | 0x20000000):
        print("forge: no namespaces", flush=True)
        return
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    if os.fork():
        os.wait()
        return
    # The first process of the namespace: it outlives the others.
    if os.fork():
        os.wait()
        os.wait()
        os._exit(0)
    end = connected(path)
    me = os.getpid()
    begun, begins = os.pipe()
    if os.fork():
        os.execv(program[0], program)
    os.close(begins)
    os.read(begun, 1)
    print("the program is another", flush=True)

    def say(method, **parameters):
        call = json.dumps({"method": "dev.martlet.App." + method, "parameters": parameters}).encode() + b"\0"
        try:
            end.sendmsg([call], [(socket.SOL_SOCKET, 2, struct.pack("3i", me, 0, 0))])
        except BrokenPipeError:
            pass  # What was said before it hung up can still be read.
        text = b""
        while not text.endswith(b"\0"):
            more = end.recv(65536)
            if not more:
                return {"error": "hung up"}
            text += more
        return json.loads(text[:-1])

    end.settimeout(240)
    try:
        reply = say("GetPassword", identifier="account")
        if "challenge" in (reply.get("parameters") or {}):
            say("Identify", challenge=reply["parameters"]["challenge"])
            reply = say("GetPassword", identifier="account")
        told = reply.get("error") or reply["parameters"]["password"]
    except OSError as error:
        told = f"hung up ({error.strerror})"
    print(f"forge: {told}", flush=True)
    os._exit(0)


def command(process):
    """What a process was started with; nothing when there is none of that number."""
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""


def borrow(place):
    """Is lent a descriptor by an app, and asks over it."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(place)
    os.chmod(place, 0o777)
    listener.listen(1)
    print("borrow: listening", flush=True)
    app, _ = listener.accept()
    _, ancillary, _, _ = app.recvmsg(1, socket.CMSG_SPACE(4))
    descriptor = array.array("i", ancillary[0][2])[0]
    print(f"borrow: {ask(socket.socket(fileno=descriptor))}", flush=True)
    app.sendall(b"!")


def spy(process):
    """Everything by which one program looks into another; says what succeeded."""
    libc = ctypes.CDLL(None, use_errno=True)
    got = []
    if libc.ptrace(16, process, None, None) == 0:
        got.append("ptrace")
    for name in ["mem", "environ", "maps", "fd/3"]:
        try:
            os.close(os.open(f"/proc/{process}/{name}", os.O_RDONLY))
            got.append(name)
        except OSError:
            pass
    for number in (15, 19):
        try:
            os.kill(process, number)
            got.append(f"signal {number}")
        except OSError:
            pass
    try:
        os.close(os.pidfd_open(process))
        theirs = libc.syscall(438, os.pidfd_open(process), 3, 0)
        if theirs >= 0:
            got.append("pidfd_getfd")
    except OSError:
        pass
    print(f"spy: {' '.join(got) or 'nothing'}", flush=True)


def take_user(user, cgroup, path):
    """Every way to a user's number and a cgroup that needs no privilege; says what succeeded, and what that is worth."""
    libc = ctypes.CDLL(None, use_errno=True)
    own, got = os.getuid(), []
    try:
        with open(cgroup + "/cgroup.procs", "w") as members:
            members.write("0")
        got.append("cgroup")
    except OSError:
        pass
    for attempt in (os.setuid, os.seteuid, os.setgid, lambda user: os.setresuid(user, user, user)):
        try:
            attempt(user)
            got.append("user")
        except OSError:
            pass
    if libc.unshare(0x10000000) == 0:  # A user namespace of its own.
        for line in (f"{user} {user} 1", f"{user} {own} 1"):
            try:
                with open("/proc/self/uid_map", "w") as map:
                    map.write(line)
                got.append("another's number" if line.endswith(f"{user} 1") else "a number of its own")
            except OSError:
                pass
    print(f"take-user: {' '.join(got) or 'nothing'}, {ask(connected(path))}", flush=True)


match sys.argv[1]:
    case "connect": print(f"connect: {ask(connected(sys.argv[2]))}", flush=True)
    case "exec-after-connect": exec_after_connect(*sys.argv[2:])
    case "reuse-number": reuse_number(*sys.argv[2:])
    case "borrow": borrow(sys.argv[2])
    case "take-user": take_user(int(sys.argv[2]), *sys.argv[3:])
    case "enter": enter(*sys.argv[2:])
    case "crowd": crowd(sys.argv[2], int(sys.argv[3]))
    case "spy": spy(int(sys.argv[2]))
    case "linger": linger(sys.argv[2], int(sys.argv[3]))
    case "flood": flood(sys.argv[2], float(sys.argv[3]))
    case "opens": opens(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    case "forge": forge(*sys.argv[2:])
    case "run": os.execv(sys.argv[2], sys.argv[2:])
