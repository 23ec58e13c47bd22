#!/usr/bin/python3
"""A server that knows its callers by their program, as many do: each attack is shown to work against it first.

`naive.py PLACE path PROGRAM` compares the path, `naive.py PLACE digest PROGRAM` the content, `naive.py PLACE name PROGRAM`
what the app that it lies in says of itself; at each request, and each that the caller runs as the user who connected.
"""
import hashlib, json, os, plistlib, socket, struct, sys

place, by, trusted = sys.argv[1:]


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def name(path):
    with open(os.path.dirname(path) + "/Info.plist", "rb") as file:
        return plistlib.load(file)["CFBundleIdentifier"]


def knows(process, user):
    try:
        if os.stat(f"/proc/{process}").st_uid != user:
            return False
        if by == "path":
            return os.readlink(f"/proc/{process}/exe") == trusted
        if by == "name":
            return name(os.readlink(f"/proc/{process}/exe")) == name(trusted)
        return digest(f"/proc/{process}/exe") == wanted
    except OSError:
        return False


wanted = digest(trusted)
listener = socket.socket(socket.AF_UNIX)
listener.bind(place)
os.chmod(place, 0o777)
listener.listen(8)
print("naive: listening", flush=True)
while True:
    end, _ = listener.accept()
    process, user, _ = struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    while end.recv(65536):
        reply = {"parameters": {"password": "for-the-app"}} if knows(process, user) else {"error": "refused"}
        end.sendall(json.dumps(reply).encode() + b"\0")
