"""What a walk needs of a server's administrator, by Martlet's published API: no device does any of it."""
import http.client
import json
import ssl
import urllib.parse


class Administrator:
    def __init__(self, url, authority, token):
        parts = urllib.parse.urlsplit(url)
        self.place, self.context = (parts.hostname, parts.port or 443), ssl.create_default_context(cafile=authority)
        self.url, self.token = url, token

    def ask(self, method, path, document=None, body=None, content_type="application/json"):
        connection = http.client.HTTPSConnection(*self.place, context=self.context, timeout=60)
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json"}
        if document is not None:
            body = json.dumps(document).encode()
        if body is not None:
            headers["Content-Type"] = content_type
        connection.request(method, "/api/v1" + path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        assert answer.status < 300, (method, path, answer.status, content[:400])
        return json.loads(content) if content and "json" in answer.getheader("Content-Type", "") else content

    def profile_address(self, group, **wishes):
        return f"{self.url}/enroll/{self.ask('POST', '/enrollment-codes', {'group': group, **wishes})['code']}"

    def give(self, group, app, configuration, password, certificate):
        """An app with a configuration, a password and a certificate, for a group; phones get it from the App Store."""
        self.ask("PUT", f"/apps/{app}", {"bundleIdentifier": app, "name": "Notes"})
        self.ask("PUT", f"/apps/{app}/sources/ios/app-store", {"location": "361309726", "license": "device"})
        self.ask("PUT", f"/apps/{app}/configurations/main", body=configuration, content_type="application/xml")
        self.ask("PUT", f"/assignments/{group}/{app}", {"configuration": "main"})
        self.ask("PUT", "/secrets/apple-password", {"password": {"userName": "guest", "password": password}})
        self.ask("PUT", "/secrets/apple-root", {"certificate": {"file": certificate}})
        for kind, secret in (("password", "apple-password"), ("certificate", "apple-root")):
            self.ask("PUT", f"/secret-assignments/{group}/{app}/{kind}/main", {"secret": secret})

    def queue(self, device, kind, **parameters):
        document = {"requestType": kind, **({"parameters": parameters} if parameters else {})}
        return self.ask("POST", f"/devices/{urllib.parse.quote(device)}/commands", document)["uuid"]

    def command(self, device, uuid):
        return self.ask("GET", f"/devices/{urllib.parse.quote(device)}/commands/{uuid}")

    def device(self, device):
        return self.ask("GET", f"/devices/{urllib.parse.quote(device)}")

    def status(self, device):
        """The newest value of each status item, by name."""
        items = self.ask("GET", f"/devices/{urllib.parse.quote(device)}/status")["items"]
        return {item["name"]: item.get("value") for item in items}

    def withdraw(self, device):
        self.ask("DELETE", f"/devices/{urllib.parse.quote(device)}")
