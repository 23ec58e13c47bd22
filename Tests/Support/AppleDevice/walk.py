"""A played Apple device walks a server's road from the profile to the check-out.

usage: walk.py enroll|walk|acme --url URL --ca-file FILE --token-file FILE --group GROUP --folder FOLDER

`enroll` enrolls the two devices whose identity is renewed later, on a server that issues short ones; `walk` goes the
whole road and lets these two renew; `acme` enrolls by ACME and leaves. FOLDER keeps the identities. The token is an
administrator's, by which a walk queues commands and gives an app. It prints a line for each habit that it tried, and
ends with 1 where the server did otherwise than such a device needs.
"""
import argparse
import pathlib
import time

import habits
from administrator import Administrator
from device import Device
from steps import commands, declarative, enrollment, leaving, renewal, users


class Walk:
    """What the steps share: the administrator, where things lie, and what was tried."""

    def __init__(self, options):
        self.group, self.folder, self.authority = options.group, pathlib.Path(options.folder), options.ca_file
        token = pathlib.Path(options.token_file).read_text().strip()
        self.administrator = Administrator(options.url, options.ca_file, token)
        self.tried, self.began = [], time.monotonic()

    def did(self, *names):
        """Notes habits whose step was passed."""
        for name in names:
            assert any(name == one.name for one in habits.ALL), f"the habit {name} is not in habits.py"
            if name not in self.tried:
                self.tried.append(name)
                print(f"habit {name} ({time.monotonic() - self.began:.1f} s)", flush=True)

    def device(self, system, name, udid=None, serial=None, **wishes):
        """A device with a profile and an identity, which has not checked in yet."""
        device = Device(system, self.authority, udid, serial)
        profile = device.fetch(self.administrator.profile_address(self.group, **wishes))
        device.install(profile, self.folder / name)
        return device

    def until(self, what, ask, patience=200):
        """Waits for a state; what was seen last is said when it does not come."""
        deadline, pause = time.monotonic() + patience, 0.02
        while True:
            found = ask()
            if found:
                return found
            assert time.monotonic() < deadline, f"{what}: not within {patience} s"
            time.sleep(pause)
            pause = min(pause * 2, 0.5)


def whole(walk):
    mac, phone = enrollment.mac(walk), enrollment.phone(walk)
    users.channels(walk, mac)
    users.directory(walk, mac)
    enrollment.bootstrap_token(walk, mac)
    declarative.road(walk, mac)
    declarative.setup(walk, phone)
    commands.waiting(walk, mac)
    commands.oddities(walk, mac)
    commands.unlock_token(walk, phone)
    renewal.renew(walk)
    leaving.removed_by_command(walk, mac)
    leaving.removed_by_its_user(walk, phone)
    leaving.withdrawn(walk)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("enroll", "walk", "acme"))
    for name in ("url", "ca-file", "token-file", "group", "folder"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    walk = Walk(options)
    if options.what == "enroll":
        renewal.enroll(walk)
    elif options.what == "acme":
        enrollment.by_acme(walk)
    else:
        whole(walk)
        missing = {one.name for one in habits.ALL} - set(walk.tried) - {"acme-unattested"}
        assert not missing, f"habits that no step tried: {sorted(missing)}"
    print(f"walked in {time.monotonic() - walk.began:.1f} s")


if __name__ == "__main__":
    main()
