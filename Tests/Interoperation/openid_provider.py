"""An OpenID Connect provider on PyPI's joserfc, well behaved or hostile as a test says.

usage: openid_provider.py FOLDER   (with tls.pem, tls.key; writes the port to port)

/control takes {"variant": …, "claims": {…}, "rotate": true, "habits": {…}} and says what was counted; everything else is what
a provider has. Signing in takes no password: whoever comes is the person whom /control named. Habits: keys without names
("named": false), the "methods" by which clients show their secret, which are not announced, "userInfo" for an endpoint of
it, an issuer that ends with a "slash".
"""
import base64
import hashlib
import hmac
import http.server
import json
import pathlib
import secrets
import ssl
import sys
import threading
import time
import urllib.parse

from joserfc import jws
from joserfc.jwk import ECKey, RSAKey

folder = pathlib.Path(sys.argv[1])
CLIENT, SECRET = "martlet", "a secret: of+the client"
state = {"variant": "good", "claims": {}, "codes": {}, "counts": {}, "tokens": [], "habits": {}}
lock = threading.Lock()


def new_key(kind, name):
    options = {"kid": name, "use": "sig"}
    return RSAKey.generate_key(2048, options) if kind == "RSA" else ECKey.generate_key("P-256", options)


keys = [new_key("RSA", "first"), new_key("EC", "second")]
stranger = new_key("RSA", "first")


def public_set():
    entries = [key.as_dict(private=False) for key in keys]
    if not state["habits"].get("named", True):
        entries = [{name: value for name, value in entry.items() if name != "kid"} for entry in entries]
    return {"keys": entries}


def own_name():
    return issuer + "/" if state["habits"].get("slash") else issuer


def knows_client(authorization, form):
    methods = state["habits"].get("methods", ["client_secret_basic"])
    if authorization:
        pair = base64.b64decode(authorization.split(" ", 1)[1]).decode()
        shown, method = [urllib.parse.unquote(part) for part in pair.split(":")], "client_secret_basic"
    else:
        shown, method = [form.get("client_id"), form.get("client_secret")], "client_secret_post"
    return method in methods and shown == [CLIENT, SECRET]


def compact(header, claims, key, algorithms):
    return jws.serialize_compact(header, json.dumps(claims).encode(), key, algorithms=algorithms)


def unsigned(header, claims):
    part = lambda value: base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()
    return f"{part(header)}.{part(claims)}."


def identity_token(variant, nonce):
    now = int(time.time())
    claims = {"iss": own_name(), "sub": "subject-1", "aud": CLIENT, "exp": now + 300, "iat": now, "nonce": nonce,
              "email": "anna@example.org", "email_verified": True, "groups": ["staff", "fleet"]}
    claims.update(state["claims"])
    wrong = {
        "expired": {"exp": now - 120, "iat": now - 400}, "no-expiry": {"exp": None}, "stale": {"iat": now - 3600},
        "from-the-future": {"iat": now + 600}, "not-yet": {"nbf": now + 600}, "no-issue": {"iat": None},
        "wrong-audience": {"aud": "another"}, "many-audiences": {"aud": [CLIENT, "another"]},
        "wrong-party": {"aud": [CLIENT, "another"], "azp": "another"}, "no-audience": {"aud": None},
        "wrong-nonce": {"nonce": "another"}, "no-nonce": {"nonce": None}, "wrong-issuer": {"iss": issuer + "/"},
        "no-subject": {"sub": ""}, "right-party": {"aud": [CLIENT, "another"], "azp": CLIENT},
    }
    claims.update(wrong.get(variant, {}))
    claims = {name: value for name, value in claims.items() if value is not None}
    key = keys[0]
    header = {"alg": "RS256", "kid": key.kid, "typ": "JWT"}
    if variant == "elliptic":
        return compact({"alg": "ES256", "kid": keys[1].kid}, claims, keys[1], ["ES256"])
    if variant == "wrong-key":
        return compact(header | {"kid": "first"}, claims, stranger, ["RS256"])
    if variant == "unknown-key":
        return compact(header | {"kid": "nobody"}, claims, stranger, ["RS256"])
    if variant == "no-key-name":
        return compact({"alg": "RS256"}, claims, key, ["RS256"])
    if variant == "none":
        return unsigned({"alg": "none"}, claims)
    if variant == "none-with-name":
        return unsigned({"alg": "none", "kid": key.kid}, claims)
    if variant == "None-with-name":
        return unsigned({"alg": "nOnE", "kid": key.kid}, claims)
    if variant == "public-as-secret":
        signed = unsigned({"alg": "HS256", "kid": key.kid}, claims)[:-1]
        digest = hmac.new(key.as_pem(private=False), signed.encode(), hashlib.sha256).digest()
        return signed + "." + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    if variant == "another-kind":
        return compact({"alg": "ES256", "kid": key.kid}, claims, new_key("EC", key.kid), ["ES256"])
    if variant == "key-inside":
        inside = {"alg": "RS256", "kid": "nobody", "jwk": stranger.as_dict(private=False)}
        return compact(inside, claims, stranger, ["RS256"])
    if variant == "altered":
        head, _, signature = compact(header, claims, key, ["RS256"]).split(".")
        claims["groups"] = ["fleet"]
        claims["sub"] = "subject-2"
        body = base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()
        return f"{head}.{body}.{signature}"
    if variant == "cut":
        return compact(header, claims, key, ["RS256"])[:-10]
    if variant == "two-parts":
        return compact(header, claims, key, ["RS256"]).rsplit(".", 1)[0]
    if variant == "replayed" and state["tokens"]:
        return state["tokens"][0]
    if variant == "deep":
        claims["deep"] = json.loads("[" * 400 + "]" * 400)
    token = compact(header, claims, key, ["RS256"])
    state["tokens"].append(token)
    return token


class Provider(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, value, headers=()):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, text in headers:
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    def count(self, name):
        state["counts"][name] = state["counts"].get(name, 0) + 1

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        with lock:
            variant = state["variant"]
            if url.path == "/.well-known/openid-configuration":
                self.count("metadata")
                document = {
                    "issuer": own_name(), "authorization_endpoint": issuer + "/authorize",
                    "token_endpoint": issuer + "/token", "jwks_uri": issuer + "/keys",
                    "code_challenge_methods_supported": ["S256"],
                }
                if "userInfo" in state["habits"]:
                    document["userinfo_endpoint"] = issuer + "/userinfo"
                document.update({
                    "foreign-metadata": {"issuer": "https://another.example"},
                    "plain-endpoint": {"token_endpoint": issuer.replace("https", "http") + "/token"},
                    "plain-challenge": {"code_challenge_methods_supported": ["plain"]},
                }.get(variant, {}))
                self.answer(200, document)
            elif url.path == "/keys":
                self.count("keys")
                self.answer(200, public_set())
            elif url.path == "/userinfo":
                if self.headers.get("Authorization") != "Bearer a":
                    return self.answer(401, {"error": "invalid_token"})
                self.answer(200, state["habits"].get("userInfo", {}))
            elif url.path == "/authorize":
                required = {"response_type": "code", "client_id": CLIENT, "code_challenge_method": "S256"}
                if any(query.get(name) != text for name, text in required.items()) or "openid" not in query["scope"]:
                    return self.answer(400, {"error": "invalid_request"})
                code = secrets.token_urlsafe(16)
                state["codes"][code] = query
                back = {"code": code, "state": query["state"], "iss": own_name()}
                if variant == "denied":
                    back = {"error": "access_denied", "state": query["state"]}
                if variant == "foreign-answer":
                    back["iss"] = "https://another.example"
                self.answer(303, b"", [("Location", query["redirect_uri"] + "?" + urllib.parse.urlencode(back))])
            else:
                self.answer(404, {})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with lock:
            if self.path == "/control":
                wish = json.loads(body)
                state["variant"] = wish.get("variant", "good")
                state["claims"] = wish.get("claims", {})
                state["habits"] = wish.get("habits", {})
                if wish.get("rotate"):
                    keys[0] = new_key("RSA", secrets.token_hex(4))
                return self.answer(200, state["counts"])
            form = dict(urllib.parse.parse_qsl(body.decode()))
            variant = state["variant"]
            if self.path != "/token":
                return self.answer(404, {})
            self.count("token")
            if not knows_client(self.headers.get("Authorization"), form):
                return self.answer(401, {"error": "invalid_client"})
            asked = state["codes"].pop(form.get("code"), None)
            digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
            challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
            if (asked is None or asked["redirect_uri"] != form.get("redirect_uri")
                    or asked["code_challenge"] != challenge or form.get("grant_type") != "authorization_code"):
                return self.answer(400, {"error": "invalid_grant"})
            if variant == "moved":
                return self.answer(302, b"", [("Location", issuer + "/elsewhere")])
            if variant == "garbage":
                return self.answer(200, b"\x00\xff{")
            if variant == "no-token":
                return self.answer(200, {"access_token": "a"})
            if variant == "endless":
                return self.answer(200, b" " * (2 << 20))
            token = identity_token(variant, asked["nonce"])
            self.answer(200, {"access_token": "a", "token_type": "Bearer", "id_token": token})


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(folder / "tls.pem", folder / "tls.key")
server.socket = context.wrap_socket(server.socket, server_side=True)
issuer = f"https://localhost:{server.server_port}"
(folder / "port.new").write_text(str(server.server_port))
(folder / "port.new").rename(folder / "port")
server.serve_forever()
