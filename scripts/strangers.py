"""What somebody without a certificate does to a server, from an address of the loopback. Part of bench-strangers.

usage: strangers.py WHAT URL CA_FILE ADDRESS COUNT    (ends when its input does; then says what it got, as JSON)
"""
import asyncio, base64, collections, datetime, hashlib, json, os, re, ssl, sys, time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils
from cryptography.hazmat.primitives.ciphers import algorithms
from cryptography.hazmat.primitives.serialization import pkcs7
from cryptography.x509.oid import AttributeOID, NameOID


class Target:
    def __init__(self, url, authority, address):
        self.url, self.address = url, address
        host, port = re.match(r"https://([^:/]+):(\d+)", url).groups()
        self.host, self.port = host, int(port)
        self.tls = ssl.create_default_context(cafile=authority)
        self.tls.check_hostname = False

    async def open(self):
        return await asyncio.open_connection("127.0.0.1", self.port, ssl=self.tls, local_addr=(self.address, 0))


async def ask(streams, method, path, body=b"", kind="application/octet-stream"):
    """One answer: its status, its headers, its body."""
    reader, writer = streams
    writer.write(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
                 f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)}
    length = int(headers.get("content-length", 0))
    taken = await reader.readexactly(length) if method != "HEAD" else b""
    if "transfer-encoding" in headers:
        while (size := int(await reader.readline(), 16)):
            await reader.readexactly(size + 2)
        await reader.readline()
    return int(head.split(" ", 2)[1]), headers, taken


async def forever(target, got, ask_one):
    """A connection that asks again and again, and comes back when it is closed."""
    while True:
        try:
            streams = await target.open()
            try:
                while True:
                    got[str((await ask_one(streams))[0])] += 1
            finally:
                streams[1].close()
        except (OSError, asyncio.IncompleteReadError):
            got["closed"] += 1
            await asyncio.sleep(0.5)


# Half-sent requests

async def half(target, got):
    """Announces a body and sends a byte of it each 5 seconds, so that it is never silent."""
    while True:
        try:
            reader, writer = await target.open()
            writer.write(b"POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nContent-Length: 16000\r\n\r\n{")
            got["sent"] += 1
            while True:
                try:
                    await asyncio.wait_for(reader.readexactly(1), 5)
                    got["answered"] += 1
                    break
                except asyncio.TimeoutError:
                    writer.write(b" ")
            writer.close()
        except (OSError, asyncio.IncompleteReadError):
            got["closed"] += 1
        await asyncio.sleep(1)


# SCEP

def der(tag, *parts):
    body = b"".join(parts)
    length = bytes([len(body)]) if len(body) < 128 else (
        lambda digits: bytes([128 + len(digits)]) + digits)(len(body).to_bytes((len(body).bit_length() + 7) // 8, "big"))
    return bytes([tag]) + length + body


def oid(text):
    first, second, *rest = map(int, text.split("."))
    out = bytes([first * 40 + second])
    for number in rest:
        digits = [number & 127]
        while number := number >> 7:
            digits.append(number & 127 | 128)
        out += bytes(reversed(digits))
    return der(6, out)


def scep_message(authority):
    """A request with a challenge that nobody handed out, signed by a key of its own."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "stranger")])
    now = datetime.datetime.now(datetime.timezone.utc)
    own = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(7)
           .not_valid_before(now - datetime.timedelta(1)).not_valid_after(now + datetime.timedelta(1)).sign(key, hashes.SHA256()))
    request = (x509.CertificateSigningRequestBuilder().subject_name(name)
               .add_attribute(AttributeOID.CHALLENGE_PASSWORD, b"nobody handed this out").sign(key, hashes.SHA256()))
    envelope = (pkcs7.PKCS7EnvelopeBuilder().set_data(request.public_bytes(serialization.Encoding.DER))
                .set_content_encryption_algorithm(algorithms.AES128).add_recipient(authority)
                .encrypt(serialization.Encoding.DER, [pkcs7.PKCS7Options.Binary]))
    attribute = lambda name, value: der(0x30, oid(name), der(0x31, value))
    attributes = sorted([
        attribute("1.2.840.113549.1.9.3", oid("1.2.840.113549.1.7.1")),
        attribute("1.2.840.113549.1.9.4", der(4, hashlib.sha256(envelope).digest())),
        attribute("2.16.840.1.113733.1.9.2", der(0x13, b"19")),
        attribute("2.16.840.1.113733.1.9.5", der(4, os.urandom(16))),
        attribute("2.16.840.1.113733.1.9.7", der(0x13, os.urandom(8).hex().encode()))])
    signature = key.sign(der(0x31, *attributes), padding.PKCS1v15(), hashes.SHA256())
    sha256, rsa_key = der(0x30, oid("2.16.840.1.101.3.4.2.1")), der(0x30, oid("1.2.840.113549.1.1.1"), der(5))
    signer = der(0x30, der(2, b"\1"), der(0x30, name.public_bytes(), der(2, b"\7")), sha256, der(0xA0, *attributes), rsa_key,
                 der(4, signature))
    signed = der(0x30, der(2, b"\1"), der(0x31, sha256),
                 der(0x30, oid("1.2.840.113549.1.7.1"), der(0xA0, der(4, envelope))),
                 der(0xA0, own.public_bytes(serialization.Encoding.DER)), der(0x31, signer))
    return der(0x30, oid("1.2.840.113549.1.7.2"), der(0xA0, signed))


async def scep(target, got, message):
    await forever(target, got, lambda streams: ask(streams, "POST", "/scep?operation=PKIOperation", message))


# ACME

def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Signer:
    def __init__(self, url):
        self.key, self.url = ec.generate_private_key(ec.SECP256R1()), url + "/acme/new-account"
        numbers = self.key.public_key().public_numbers()
        self.jwk = {"kty": "EC", "crv": "P-256", "x": base64url(numbers.x.to_bytes(32, "big")),
                    "y": base64url(numbers.y.to_bytes(32, "big"))}

    def request(self, nonce, payload):
        head = base64url(json.dumps({"alg": "ES256", "nonce": nonce, "url": self.url, "jwk": self.jwk}).encode())
        body = base64url(json.dumps(payload).encode())
        r, s = utils.decode_dss_signature(self.key.sign(f"{head}.{body}".encode(), ec.ECDSA(hashes.SHA256())))
        return json.dumps({"protected": head, "payload": body,
                           "signature": base64url(r.to_bytes(32, "big") + s.to_bytes(32, "big"))}).encode()


async def acme(target, got, each, payload={"onlyReturnExisting": True}):
    """Signed requests of one connection, one in `each` seconds."""
    signer, nonce, due = Signer(target.url), None, time.monotonic()

    async def one(streams):
        nonlocal nonce, due
        due = max(due + each, time.monotonic() - 1)
        await asyncio.sleep(max(0, due - time.monotonic()))
        if nonce is None:
            nonce = (await ask(streams, "HEAD", "/acme/new-nonce"))[1].get("replay-nonce")
        answer = await ask(streams, "POST", "/acme/new-account", signer.request(nonce, payload), "application/jose+json")
        nonce = answer[1].get("replay-nonce")
        return answer

    await forever(target, got, one)


async def account(target, got):
    """A client that asks once for a new account, as a device does."""
    streams, signer = await target.open(), Signer(target.url)
    nonce = (await ask(streams, "HEAD", "/acme/new-nonce"))[1]["replay-nonce"]
    answer = await ask(streams, "POST", "/acme/new-account", signer.request(nonce, {}), "application/jose+json")
    got[str(answer[0])] += 1


# The list of revoked certificates, and memory

async def crl(target, got):
    await forever(target, got, lambda streams: ask(streams, "GET", "/pki/crl"))


async def idle(target, got):
    streams = await target.open()
    got[str((await ask(streams, "GET", "/ca.pem"))[0])] += 1
    await asyncio.sleep(3600)


async def large(target, got):
    """A message of 2 MB in nobody's name."""
    reader, writer = await target.open()
    writer.write(b"PUT /mdm/checkin HTTP/1.1\r\nHost: localhost\r\nMdm-Signature: AAAA\r\nContent-Length: 2000000\r\n\r\n")
    try:
        for _ in range(20):
            writer.write(b"x" * 99_000)
            await writer.drain()
        got["sent"] += 1
        await asyncio.sleep(3600)
    except OSError:
        got["closed"] += 1


async def main(what, url, authority, address, count):
    target, got, count = Target(url, authority, address), collections.Counter(), int(count)
    loop = asyncio.get_running_loop()
    ended = loop.run_in_executor(None, sys.stdin.read)
    if what == "scep":
        message = scep_message(x509.load_pem_x509_certificate(open(authority, "rb").read()))
        work = [scep(target, got, message) for _ in range(count)]
    elif what == "acme":
        work = [acme(target, got, 16 / count) for _ in range(16)]
    else:
        work = [{"half": half, "crl": crl, "idle": idle, "large": large, "account": account}[what](target, got)
                for _ in range(count)]
    tasks = [asyncio.create_task(one) for one in work]
    if what == "account":
        await asyncio.gather(*tasks)
    else:
        await ended
    print(json.dumps(got), flush=True)
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
