#!/usr/bin/python3
"""An app that comes in a package: it shows its version, that of a file beside it, and its configuration as it changes.

"#VERSION#" is replaced when it is packed. Told to, it writes to its home or starts a child that outlives it.
"""
import base64, json, os, plistlib, socket, subprocess, sys

VERSION = "#VERSION#"
CALL = {"method": "dev.martlet.App.WatchConfiguration", "parameters": {}, "more": True}


def beside():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "Resources", "part.txt")) as file:
        return file.read().strip()


def states(end):
    end.sendall(json.dumps(CALL).encode() + b"\0")
    text = b""
    while more := end.recv(65536):
        text += more
        while b"\0" in text:
            message, text = text.split(b"\0", 1)
            yield json.loads(message)["parameters"]


if "keep" in sys.argv:
    with open(os.path.join(os.environ["HOME"], "kept.txt"), "w") as file:
        file.write("kept")
if "leave-child" in sys.argv:
    child = subprocess.Popen(["sleep", "600"], start_new_session=True)
    print(f"child: {child.pid}", flush=True)
print(f"viewer {VERSION} with {beside()}: {os.getpid()}", flush=True)
for state in states(socket.socket(fileno=int(os.environ["MARTLET_AGENT_FD"]))):
    data = state.get("configuration")
    title = plistlib.loads(base64.b64decode(data))["title"] if data else "nil"
    print(f"title: {title}", flush=True)
