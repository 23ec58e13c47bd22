"""CMS and SCEP messages on PyPI's asn1crypto and cryptography, for the programs beside this file.

Nothing here is Martlet's: it follows RFC 5652 and RFC 8894, and with SHA-1 and DES the defaults of a CMS library that is in
wide use.
"""
import base64
import datetime
import os

from asn1crypto import algos, cms as asn1, core, x509 as asn1_x509
from cryptography import x509
from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7
from cryptography.x509.oid import NameOID

MESSAGE_TYPE, STATUS, FAIL_INFO, SENDER_NONCE, RECIPIENT_NONCE, TRANSACTION = (
    f"2.16.840.1.113733.1.9.{number}" for number in range(2, 8))
DIGESTS = {"sha1": hashes.SHA1, "sha256": hashes.SHA256}


def new_key():
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def certificate(subject, public_key, issuer, issuer_key, authority=False, names=()):
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(public_key)
        .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=30))
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False))
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(one) for one in names]), critical=False)
    return builder.sign(issuer_key, hashes.SHA256())


def der(one):
    return one.public_bytes(serialization.Encoding.DER)


def issuer_and_serial(one):
    parsed = asn1_x509.Certificate.load(der(one))
    return asn1.SignerIdentifier(
        name="issuer_and_serial_number",
        value=asn1.IssuerAndSerialNumber({"issuer": parsed.issuer, "serial_number": parsed.serial_number}))


class Attribute(core.Sequence):
    _fields = [("type", core.ObjectIdentifier), ("values", core.Any)]


class Attributes(core.SetOf):
    _child_spec = Attribute


def attribute(identifier, value):
    inner = value.dump()
    return Attribute({"type": identifier, "values": core.Any(core.Asn1Value.load(b"\x31" + length(inner) + inner))})


def length(content):
    count = len(content)
    if count < 0x80:
        return bytes([count])
    size = count.to_bytes((count.bit_length() + 7) // 8, "big")
    return bytes([0x80 | len(size)]) + size


def tlv(tag, content):
    return bytes([tag]) + length(content) + content


def sign(content, signer, key, digest, attributes=(), detached=False, certificates=()):
    """SignedData over `content`; `attributes` are pairs of an identifier and a value."""
    hashed = hashes.Hash(DIGESTS[digest]())
    hashed.update(content)
    entries = [
        attribute("1.2.840.113549.1.9.3", core.ObjectIdentifier("1.2.840.113549.1.7.1")),
        attribute("1.2.840.113549.1.9.4", core.OctetString(hashed.finalize())),
        attribute("1.2.840.113549.1.9.5", core.UTCTime(datetime.datetime.now(datetime.timezone.utc))),
    ] + [attribute(*one) for one in attributes]
    signed = b"".join(sorted(entry.dump() for entry in entries))
    signature = key.sign(tlv(0x31, signed), padding.PKCS1v15(), DIGESTS[digest]())
    algorithm = algos.DigestAlgorithm({"algorithm": digest}).dump()
    signer_info = tlv(0x30, b"".join([
        core.Integer(1).dump(), issuer_and_serial(signer).chosen.dump(), algorithm, tlv(0xA0, signed),
        algos.SignedDigestAlgorithm({"algorithm": f"{digest}_rsa"}).dump(), core.OctetString(signature).dump()]))
    inner = core.ObjectIdentifier("1.2.840.113549.1.7.1").dump()
    if not detached:
        inner += tlv(0xA0, core.OctetString(content).dump())
    shown = b"".join(der(one) for one in [*certificates, signer])
    data = tlv(0x30, b"".join([
        core.Integer(1).dump(), tlv(0x31, algorithm), tlv(0x30, inner), tlv(0xA0, shown), tlv(0x31, signer_info)]))
    return tlv(0x30, core.ObjectIdentifier("1.2.840.113549.1.7.2").dump() + tlv(0xA0, data))


def verified(message, content=None):
    """The content, the signer's certificate, the signed attributes and the digest's name of a message whose signature is right."""
    signed = asn1.ContentInfo.load(message)["content"]
    info = signed["signer_infos"][0]
    digest = info["digest_algorithm"]["algorithm"].native
    if content is None:
        content = signed["encap_content_info"]["content"].native
    certificates = [one.chosen for one in signed["certificates"]]
    identifier = info["sid"].chosen
    signer = next(
        one for one in certificates
        if one.serial_number == identifier["serial_number"].native and one.issuer == identifier["issuer"])
    signer = x509.load_der_x509_certificate(signer.dump())
    attributes = Attributes.load(info["signed_attrs"].untag().dump())
    found = {}
    for entry in attributes:
        values = entry["values"].parse()
        found[entry["type"].dotted] = core.Asn1Value.load(values.contents).native
    hashed = hashes.Hash(DIGESTS[digest]())
    hashed.update(content)
    assert found["1.2.840.113549.1.9.4"] == hashed.finalize(), "the content is not the one that was signed"
    signer.public_key().verify(
        info["signature"].native, info["signed_attrs"].untag().dump(), padding.PKCS1v15(), DIGESTS[digest]())
    return content, signer, found, digest


def seal(content, recipient, cipher):
    """EnvelopedData for one recipient, with AES-128 or single DES in CBC mode."""
    if cipher == "des":
        secret, vector = os.urandom(8), os.urandom(8)
        # Three times the same key is single DES.
        encryptor = Cipher(TripleDES(secret * 3), modes.CBC(vector)).encryptor()
        identifier, block = "1.3.14.3.2.7", 64
    else:
        secret, vector = os.urandom(16), os.urandom(16)
        encryptor = Cipher(algorithms.AES(secret), modes.CBC(vector)).encryptor()
        identifier, block = "2.16.840.1.101.3.4.1.2", 128
    padder = PKCS7(block).padder()
    encrypted = encryptor.update(padder.update(content) + padder.finalize()) + encryptor.finalize()
    key_info = tlv(0x30, b"".join([
        core.Integer(0).dump(), issuer_and_serial(recipient).chosen.dump(),
        tlv(0x30, core.ObjectIdentifier("1.2.840.113549.1.1.1").dump() + core.Null().dump()),
        core.OctetString(recipient.public_key().encrypt(secret, padding.PKCS1v15())).dump()]))
    content_info = tlv(0x30, b"".join([
        core.ObjectIdentifier("1.2.840.113549.1.7.1").dump(),
        tlv(0x30, core.ObjectIdentifier(identifier).dump() + core.OctetString(vector).dump()),
        tlv(0x80, encrypted)]))
    data = tlv(0x30, core.Integer(0).dump() + tlv(0x31, key_info) + content_info)
    return tlv(0x30, core.ObjectIdentifier("1.2.840.113549.1.7.3").dump() + tlv(0xA0, data))


def opened(message, key):
    """The content of an envelope, and the cipher's identifier."""
    data = asn1.ContentInfo.load(message)["content"]
    secret = key.decrypt(data["recipient_infos"][0].chosen["encrypted_key"].native, padding.PKCS1v15())
    content = data["encrypted_content_info"]
    algorithm = content["content_encryption_algorithm"]
    identifier = algorithm["algorithm"].dotted
    vector = algorithm["parameters"].native
    if identifier == "1.3.14.3.2.7":
        decryptor, block = Cipher(TripleDES(secret * 3), modes.CBC(vector)).decryptor(), 64
    else:
        decryptor, block = Cipher(algorithms.AES(secret), modes.CBC(vector)).decryptor(), 128
    plain = decryptor.update(content["encrypted_content"].native) + decryptor.finalize()
    unpadder = PKCS7(block).unpadder()
    return unpadder.update(plain) + unpadder.finalize(), identifier


def bundle(*certificates):
    """The degenerate SignedData in which SCEP hands over certificates."""
    data = tlv(0x30, b"".join([
        core.Integer(1).dump(), tlv(0x31, b""), tlv(0x30, core.ObjectIdentifier("1.2.840.113549.1.7.1").dump()),
        tlv(0xA0, b"".join(der(one) for one in certificates)), tlv(0x31, b"")]))
    return tlv(0x30, core.ObjectIdentifier("1.2.840.113549.1.7.2").dump() + tlv(0xA0, data))


def certificates_in(message):
    signed = asn1.ContentInfo.load(message)["content"]
    return [x509.load_der_x509_certificate(one.chosen.dump()) for one in signed["certificates"]]


def text(value):
    return core.PrintableString(value)


def octets(value):
    return core.OctetString(value)


def header(signature):
    return base64.b64encode(signature).decode()
