#!/usr/bin/python3
"""A server that knows its callers by their path, as many do: each attack is shown to work against it first."""
import json, os, socket, struct, sys

place, trusted = sys.argv[1:]
listener = socket.socket(socket.AF_UNIX)
listener.bind(place)
os.chmod(place, 0o777)
listener.listen(8)
print("naive: listening", flush=True)
while True:
    end, _ = listener.accept()
    process, _, _ = struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    while end.recv(65536):
        known = os.path.exists(f"/proc/{process}/exe") and os.readlink(f"/proc/{process}/exe") == trusted
        reply = {"parameters": {"password": "for-the-app"}} if known else {"error": "refused"}
        end.sendall(json.dumps(reply).encode() + b"\0")
