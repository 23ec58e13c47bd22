"""How the played device keeps itself in step with its declarations, and what it reports of them."""
import hashlib
import json

KINDS = {"Activations": "activation", "Assets": "asset", "Configurations": "configuration", "Management": "management"}
APP_MANAGED = "com.apple.configuration.app.managed"


class Declarations:
    """What one channel of a device holds."""

    def __init__(self, device, user=None):
        self.device, self.user = device, user
        self.token, self.held, self.fetched = None, {}, []

    def read(self, endpoint):
        status, headers, body = self.device.declarative(endpoint, user=self.user)
        assert status == 200 and headers["content-type"].startswith("application/json"), (endpoint, status, headers)
        return json.loads(body)

    def synchronize(self):
        """Asks for tokens, for the list, and for each declaration that is new; answers whether anything was."""
        token = self.read("tokens")["SyncTokens"]["DeclarationsToken"]
        if token == self.token:
            return False
        items, held, self.fetched = self.read("declaration-items"), {}, []
        for group, kind in KINDS.items():
            for item in items["Declarations"][group]:
                key = kind, item["Identifier"]
                if key in self.held and self.held[key]["ServerToken"] == item["ServerToken"]:
                    held[key] = self.held[key]
                    continue
                held[key] = self.read(f"declaration/{kind}/{item['Identifier']}")
                assert held[key]["ServerToken"] == item["ServerToken"], key
                self.fetched.append(key)
        self.held, self.token = held, items["DeclarationsToken"]
        return True

    def app(self, name):
        """The configuration of the managed app that has a name, which may be its number in the App Store."""
        keys = ("AppComposedIdentifier", "BundleID", "AppStoreID")
        payloads = [one["Payload"] for one in self.held.values() if one["Type"] == APP_MANAGED]
        return next(one for one in payloads if name in [one.get(key) for key in keys])

    def asset(self, identifier):
        """What an asset refers to, held against the size and digest that its declaration has."""
        reference = self.held["asset", identifier]["Payload"]["Reference"]
        status, headers, body = self.device.download(reference["DataURL"])
        assert status == 200, (identifier, status, body[:200])
        assert reference.get("Size", len(body)) == len(body), (identifier, reference, len(body))
        assert reference.get("Hash-SHA-256") in (None, hashlib.sha256(body).hexdigest()), identifier
        assert headers["content-type"] == reference.get("ContentType", headers["content-type"]), headers
        return body

    def report(self):
        """`management.declarations`: all of them, as devices say it in each report that speaks of it at all."""
        lists = {kind + ("s" if kind != "management" else ""): [] for kind in KINDS.values()}
        for (kind, identifier), one in sorted(self.held.items()):
            lists[kind + ("s" if kind != "management" else "")].append({
                # A management declaration takes effect without ever being active.
                "active": kind != "management", "identifier": identifier, "valid": "valid",
                "server-token": one["ServerToken"]})
        return lists


def app_status(identifier, **more):
    """An element of `app.managed.list`."""
    status = {"identifier": identifier, "name": "Notes", "version": "1", "short-version": "1.0", "state": "managed"}
    return {**status, **more}
