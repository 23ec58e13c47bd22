"""The users of a device: a channel of their own beside the device's."""
import concurrent.futures
import copy
import uuid

from declarations import Declarations
from device import SHARED_USER
from steps.enrollment import served


def channels(walk, device):
    user = {"UserID": str(uuid.uuid4()).upper(), "UserShortName": "anna", "UserLongName": "Anna Anders"}
    magic = {"PushMagic": str(uuid.uuid4()).upper(), "Token": b"of the user", "NotOnConsole": False}
    served(device.token_update(magic, user=user))
    name = f"{device.udid}:{user['UserID']}"
    assert walk.administrator.device(name)["state"] == "enrolled"
    uuids = {
        None: walk.administrator.queue(device.udid, "DeviceInformation", Queries=["OSVersion"]),
        "user": walk.administrator.queue(name, "ProfileList"),
    }
    # Both ask at the same time: the device's daemon and the agent of the user are two programs.
    with concurrent.futures.ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda who: queue(twin(device), who), (None, user)))
    assert uuids[None] in found[0] and uuids["user"] not in found[0], (uuids, found)
    assert uuids["user"] in found[1] and uuids[None] not in found[1], (uuids, found)
    held = Declarations(device, user)
    assert held.synchronize(), "a user's channel has declarations of its own"
    served(device.declarative("status", {"StatusItems": {"management": {"declarations": held.report()}}}, user=user))
    walk.did("user-channel")
    shared = {"UserID": SHARED_USER, "UserShortName": "berta@example.org", "UserLongName": "Berta"}
    served(device.token_update({**magic, "AwaitingConfiguration": False}, user=shared))
    assert walk.administrator.device(f"{device.udid}:berta@example.org")["state"] == "enrolled"
    walk.did("shared-ipad-user")


def twin(device):
    """The same device by a connection of its own, as each of its programs has one."""
    other = copy.copy(device)
    other.connections = {}
    return other


def queue(device, user):
    """Answers every command of a channel until nothing is left; answers their UUIDs."""
    found, (_, command) = [], served(device.say(user=user))
    while command:
        found.append(command["CommandUUID"])
        _, command = served(device.say("Acknowledged", command, user=user))
    return found


def directory(walk, device):
    """A user of a network's directory logs in: the server says that it will not manage them, and the Mac goes on."""
    user = {"UserID": str(uuid.uuid4()).upper(), "UserShortName": "carla", "UserLongName": "Carla"}
    for _ in range(2):
        answer = device.check_in("UserAuthenticate", user=user)
        assert answer[0] == 410, answer
    served(device.say())
    walk.did("user-authenticate")
