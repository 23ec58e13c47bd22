"""The ways in which the management ends."""
import json

from device import COMMAND
from steps.enrollment import not_ended, served
from steps.users import queue


def removed_by_command(walk, device):
    identifier = device.profile["PayloadIdentifier"]
    uuid = walk.administrator.queue(device.udid, "RemoveProfile", Identifier=identifier)
    assert uuid in queue(device, None)
    served(device.check_out())
    assert walk.administrator.device(device.udid)["state"] == "checkedOut"
    walk.did("removed-by-command")


def removed_by_its_user(walk, device):
    """CheckOut, the same again after a lost answer, nothing after it; then the device comes anew."""
    served(device.check_out())
    served(device.check_out())
    answer = device.say()
    assert answer[0] >= 400 and answer[0] != 401, answer
    walk.did("check-out")
    again = walk.device(device.system, "phone-again", device.udid, device.serial)
    served(again.authenticate())
    served(again.token_update())
    assert walk.administrator.device(device.udid)["state"] == "enrolled"
    _, command = served(again.say())
    assert command["Command"]["RequestType"] == "DeclarativeManagement", command
    not_ended(device.say(), "the identity of before")
    walk.did("enrolled-again")
    erased(walk, again)


def erased(walk, device):
    """Nobody takes an enrolled device's place by its name alone: an administrator's code for this very device does."""
    stranger = walk.device(device.system, "stranger", device.udid, device.serial)
    not_ended(stranger.authenticate(), "another machine under the same UDID")
    served(device.say())
    new = walk.device(device.system, "erased", device.udid, device.serial, replaces=device.udid)
    served(new.authenticate())
    served(new.token_update())
    assert new.say()[0] == 200 and device.say()[0] >= 400
    served(new.check_out())
    walk.did("erased")


def withdrawn(walk):
    device = walk.device("iphone", "withdrawn")
    served(device.authenticate())
    served(device.token_update())
    served(device.say())
    walk.administrator.withdraw(device.udid)
    idle = {"Status": "Idle", "UDID": device.udid}
    status, headers, body = device.put(device.mdm["ServerURL"], idle, COMMAND)
    assert status == 403 and headers["content-type"].startswith("application/json"), (status, headers, body)
    assert json.loads(body)["code"] == "com.apple.unrecognized.device", body
    # The profile is gone; that the device says so is taken or not, and does no harm.
    assert device.check_out()[0] in (200, 403)
    assert walk.administrator.device(device.udid)["state"] == "withdrawn"
    walk.did("unrecognized")
