#!/usr/bin/python3
"""An app that tries what an isolated one cannot do, and what it can; says for each what came of it."""
import os, signal, socket, subprocess, sys, tempfile

other, place, neighbour = sys.argv[1:]


def write(path):
    with open(path, "w") as file:
        file.write("was here")


def ask():
    end = socket.socket(socket.AF_UNIX)
    end.connect(os.environ["MARTLET_AGENT_SOCKET"])
    end.sendall(b'{"method": "dev.martlet.App.GetStatus"}\0')
    return end.recv(65536)[:1]


def beneath(path):
    """The same by a child that starts in the directory."""
    done = subprocess.run(["/bin/cat", os.path.basename(path)], cwd=os.path.dirname(path), capture_output=True)
    if done.returncode:
        raise PermissionError(done.stderr)


def speak():
    end = socket.socket(socket.AF_UNIX)
    end.connect("\0" + neighbour)


ATTEMPTS = {
    "other-app": lambda: open(other + "/app").read(),
    "other-app-by-child": lambda: beneath(other + "/app"),
    "app-directory": lambda: os.listdir(os.path.dirname(other)),
    "shared-file": lambda: open(place + "/note").read(),
    "shared-list": lambda: os.listdir(place),
    "shared-write": lambda: write(place + "/mine"),
    "tmp": lambda: os.listdir("/tmp"),
    "root": lambda: os.listdir("/"),
    "abstract-socket": speak,
    "home": lambda: write(os.environ["HOME"] + "/kept"),
    "temporary": lambda: tempfile.NamedTemporaryFile(dir=os.environ["TMPDIR"]).write(b"x"),
    "system": lambda: os.listdir("/usr/share"),
    "program": lambda: subprocess.check_call(["/bin/true"]),
    "itself": lambda: open(__file__).read(),
    "agent": ask,
}

for name, attempt in ATTEMPTS.items():
    try:
        attempt()
        print(f"{name}: done", flush=True)
    except (OSError, KeyError) as error:
        print(f"{name}: refused", flush=True)
print("end", flush=True)
