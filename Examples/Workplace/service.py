#!/usr/bin/python3
"""The management service of the Workplace app: it tells the app how its device fares, and answers nobody else.

usage: service.py CERTIFICATE.pem KEY.pem SERVER AUTHORITY.pem TOKEN PORT

SERVER is the address of martlet-server, AUTHORITY.pem the authority of its certificate, TOKEN a file with an API token
of the role reader. A client is the app if SERVER issued its certificate with OU=workplace in the subject and has not
revoked it; CN names the device. The service listens on the loopback.
"""
import base64, http.server, json, pathlib, ssl, sys, tempfile, time, urllib.error, urllib.parse, urllib.request

UNIT = "workplace"
REFRESH_SECONDS = 60
TIMEOUT_SECONDS = 20


class Martlet:
    """The server that manages the devices and issues the apps' identities."""

    def __init__(self, address, authority, token):
        self.address, self.token = address, token
        self.trust = ssl.create_default_context(cafile=authority)

    def get(self, path, headers={}):
        request = urllib.request.Request(self.address + path, headers=headers)
        with urllib.request.urlopen(request, context=self.trust, timeout=TIMEOUT_SECONDS) as answer:
            return answer.read(1 << 22)

    def device(self, identifier):
        path = "/api/v1/devices/" + urllib.parse.quote(identifier, safe="")
        return json.loads(self.get(path, {"Authorization": "Bearer " + self.token}))


class Handshake:
    """Admits clients whose certificate the server issued; reads its list of revoked ones again every minute."""

    def __init__(self, martlet, certificate, key):
        self.martlet, self.certificate, self.key = martlet, certificate, key
        self.made, self.end = None, 0

    def context(self):
        if time.monotonic() >= self.end:
            self.made, self.end = self.make(), time.monotonic() + REFRESH_SECONDS
        return self.made

    def make(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(self.certificate, self.key)
        context.verify_mode = ssl.CERT_REQUIRED
        context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
        context.load_verify_locations(cadata=self.martlet.get("/pki/identities.pem").decode())
        revoked = base64.encodebytes(self.martlet.get("/pki/crl")).decode()
        # Python takes revocation lists from files only.
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(f"-----BEGIN X509 CRL-----\n{revoked}-----END X509 CRL-----\n")
            file.flush()
            context.load_verify_locations(cafile=file.name)
        return context


class Handler(http.server.BaseHTTPRequestHandler):
    timeout = TIMEOUT_SECONDS

    def do_GET(self):
        subject = dict(pair for part in self.connection.getpeercert()["subject"] for pair in part)
        identifier = subject.get("commonName")
        # Other apps of the device have identities of the same authority.
        if subject.get("organizationalUnitName") != UNIT or not identifier:
            return self.answer(403, "This is not the app.")
        try:
            device = self.server.martlet.device(identifier)
        except (OSError, ValueError):
            return self.answer(502, "The server did not answer.")
        if device["state"] != "enrolled":
            return self.answer(403, "The device is not managed.")
        token = device["declarationsToken"]
        state = "up to date" if token["current"] == token.get("acknowledged") else "about to change"
        apps = [f"{app['identifier']} ({app.get('configState', 'unknown')})" for app in device["apps"]]
        self.answer(200, f"Device {identifier} is managed and {state}: {', '.join(apps) or 'no apps'}.")

    def answer(self, status, text):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Service(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port, martlet, handshake):
        super().__init__(("127.0.0.1", port), Handler)
        self.martlet, self.handshake = martlet, handshake

    def get_request(self):
        connection, address = super().get_request()
        try:
            # The handshake itself is the connection's thread's, so that a slow client holds up nobody.
            return self.handshake.context().wrap_socket(
                connection, server_side=True, do_handshake_on_connect=False), address
        except OSError:
            connection.close()
            raise

    def handle_error(self, request, client_address):
        print(f"client refused: {sys.exception()}", flush=True)


def main():
    if len(sys.argv) != 7:
        sys.exit(__doc__)
    certificate, key, address, authority, token, port = sys.argv[1:]
    martlet = Martlet(address, authority, pathlib.Path(token).read_text().strip())
    service = Service(int(port), martlet, Handshake(martlet, certificate, key))
    print(f"management service ready https://localhost:{service.server_port}", flush=True)
    service.serve_forever()


if __name__ == "__main__":
    main()
