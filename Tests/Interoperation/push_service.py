"""A push service over HTTP/2 as Apple's documentation describes it, on PyPI's h2: it judges what it is sent and fails as it is told.

Usage: push_service.py FOLDER

FOLDER has tls.pem and tls.key, and clients.pem: certificates that are believed. It gets `port` once the service listens, and `pushes`,
one JSON object for each request. `faults`, if it is there, is JSON: device token in hexadecimal → answers for its next pushes, each
{"status": …, "reason": …, "retry-after": …}, or one of "hang", "goaway", "close"; "*" is for any token.
"""
import asyncio, base64, json, os, pathlib, re, ssl, sys

import h2.config, h2.connection, h2.errors, h2.events

folder = pathlib.Path(sys.argv[1])
answered = {}


def fault(token):
    """What is to go wrong with this push, if anything; each fault happens once."""
    try:
        faults = json.loads((folder / "faults").read_text())
    except FileNotFoundError:
        return None
    for key in (token, "*"):
        queue = faults.get(key, [])
        taken = answered.get(key, 0)
        if taken < len(queue):
            answered[key] = taken + 1
            return queue[taken]
    return None


def judge(headers, body, certificate):
    """The status and reason by Apple's rules, and the token."""
    match = re.fullmatch(r"/3/device/([0-9a-f]+)", headers.get(":path", ""))
    if headers.get(":method") != "POST":
        return 405, "MethodNotAllowed", None
    if not match or len(match[1]) % 2:
        return 400, "BadDeviceToken", None
    if headers.get("apns-push-type") != "mdm" or headers.get("apns-priority") not in ("5", "10"):
        return 400, "InvalidPushType", match[1]
    if not headers.get("apns-expiration", "").isdigit():
        return 400, "BadExpirationDate", match[1]
    if certificate is None:
        token = re.fullmatch(r"bearer ([\w-]+)\.([\w-]+)\.([\w-]+)", headers.get("authorization", ""))
        if not token:
            return 403, "MissingProviderToken", match[1]
        header, claims, signature = (base64.urlsafe_b64decode(part + "==") for part in token.groups())
        header, claims = json.loads(header), json.loads(claims)
        if header.get("alg") != "ES256" or not header.get("kid") or not claims.get("iss") or len(signature) != 64:
            return 403, "InvalidProviderToken", match[1]
        if not signed(token, signature):
            return 403, "InvalidProviderToken", match[1]
    elif headers.get("apns-topic") != certificate:
        return 400, "TopicDisallowed", match[1]
    try:
        magic = json.loads(body)["mdm"]
    except (ValueError, KeyError):
        return 400, "PayloadEmpty", match[1]
    if not isinstance(magic, str) or len(body) > 4096:
        return 400, "PayloadTooLarge", match[1]
    return 200, None, match[1]


def signed(token, signature):
    """Whether the key in token-key.pem signed this."""
    from cryptography.hazmat.primitives.asymmetric import ec, utils
    from cryptography.hazmat.primitives import hashes, serialization
    key = serialization.load_pem_public_key((folder / "token-key.pem").read_bytes())
    number = utils.encode_dss_signature(int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))
    try:
        key.verify(number, f"{token[1]}.{token[2]}".encode(), ec.ECDSA(hashes.SHA256()))
        return True
    except Exception:
        return False


class Connection(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.requests = {}
        subject = (transport.get_extra_info("ssl_object").getpeercert() or {}).get("subject", ())
        names = dict(pair for part in subject for pair in part)
        self.topic = names.get("userId", names.get("UID"))
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        self.h2.initiate_connection()
        transport.write(self.h2.data_to_send())

    def data_received(self, data):
        try:
            events = self.h2.receive_data(data)
        except Exception:
            self.transport.close()
            return
        for event in events:
            if isinstance(event, h2.events.RequestReceived):
                self.requests[event.stream_id] = [dict(event.headers), b""]
            elif isinstance(event, h2.events.DataReceived):
                self.requests[event.stream_id][1] += event.data
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.StreamEnded):
                self.answer(event.stream_id)
        self.transport.write(self.h2.data_to_send())

    def answer(self, stream):
        headers, body = self.requests.pop(stream)
        status, reason, token = judge(headers, body, self.topic)
        wrong = fault(token) if status == 200 else None
        note = {"token": token, "status": status, "reason": reason, "topic": headers.get("apns-topic"),
                "fault": wrong if isinstance(wrong, str) else None, "body": body.decode(errors="replace"),
                "authorization": "authorization" in headers}
        if isinstance(wrong, dict):
            status, reason = wrong["status"], wrong.get("reason")
            note["status"], note["reason"] = status, reason
        with open(folder / "pushes", "a") as file:
            file.write(json.dumps(note) + "\n")
        if wrong == "hang":
            return
        if wrong == "goaway":
            self.h2.close_connection(h2.errors.ErrorCodes.INTERNAL_ERROR, last_stream_id=0)
            self.transport.write(self.h2.data_to_send())
            self.transport.close()
            return
        if wrong == "close":
            self.transport.abort()
            return
        fields = [(":status", str(status))]
        if isinstance(wrong, dict) and "retry-after" in wrong:
            fields.append(("retry-after", str(wrong["retry-after"])))
        body = json.dumps({"reason": reason}).encode() if reason else b""
        self.h2.send_headers(stream, fields, end_stream=not body)
        if body:
            self.h2.send_data(stream, body, end_stream=True)


async def main():
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "tls.pem", folder / "tls.key")
    context.load_verify_locations(folder / "clients.pem")
    context.verify_mode = ssl.CERT_OPTIONAL
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.set_alpn_protocols(["h2"])
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0, ssl=context)
    part = folder / "port.part"
    part.write_text(str(server.sockets[0].getsockname()[1]))
    os.rename(part, folder / "port")
    await server.serve_forever()


asyncio.run(main())
