"""PyPI's acme client against a server that hands out certificates for permanent identifiers.

usage: acme_client.py DIRECTORY_URL CA_FILE CLIENT_IDENTIFIER FOLDER

Leaves in FOLDER the chain it got (chain.pem) and says what it did, one word a line.
"""
import datetime
import sys

import josepy as jose
from acme import challenges, client, errors, messages
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

directory_url, ca_file, identifier, folder = sys.argv[1:]
messages.IdentifierType("permanent-identifier")


class Statement(jose.JSONObjectWithFields):
    """The answer to device-attest-01: a CBOR map that says there is no statement."""

    attObj: str = jose.field("attObj")


def connect(key, algorithm):
    network = client.ClientNetwork(key, alg=algorithm, verify_ssl=ca_file)
    directory = client.ClientV2.get_directory(directory_url, network)
    return client.ClientV2(directory, network)


def order(acme, value):
    wish = messages.NewOrder(
        identifiers=[messages.Identifier(typ=messages.IdentifierType("permanent-identifier"), value=value)])
    answer = acme.net.post(acme.directory["newOrder"], wish, new_nonce_url=acme.directory["newNonce"])
    return answer.headers["Location"], messages.Order.from_json(answer.json())


def refused(code, action):
    try:
        action()
    except messages.Error as error:
        assert error.code == code, f"refused with {error.code}, not {code}"
        return
    raise AssertionError("was not refused")


account_key = jose.JWKRSA(key=rsa.generate_private_key(public_exponent=65537, key_size=2048))
acme = connect(account_key, jose.RS256)
registration = acme.new_account(messages.NewRegistration.from_data(email="somebody@example.com"))
assert acme.query_registration(registration).body.status == "valid"
print("account")

elliptic = connect(jose.JWKEC(key=ec.generate_private_key(ec.SECP256R1())), jose.ES256)
elliptic.new_account(messages.NewRegistration())
refused("rejectedIdentifier", lambda: order(elliptic, "guessed"))
print("guess refused")

uri, placed = order(acme, identifier)
refused("rejectedIdentifier", lambda: order(elliptic, identifier))
print("order")

answer = acme.net.post(placed.authorizations[0], None, new_nonce_url=acme.directory["newNonce"])
authorization = messages.Authorization.from_json(answer.json())
[challenge] = authorization.challenges
assert challenge.chall.jobj["type"] == "device-attest-01"
statement = Statement(attObj=jose.encode_b64jose(b"\xa2\x63fmt\x64none\x67attStmt\xa0"))
acme.answer_challenge(challenge, statement)
print("challenge")

certificate_key = ec.generate_private_key(ec.SECP256R1())
request = (
    x509.CertificateSigningRequestBuilder()
    .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "what I like")]))
    .sign(certificate_key, hashes.SHA256())
)
resource = messages.OrderResource(
    body=placed, uri=uri, authorizations=[], csr_pem=request.public_bytes(serialization.Encoding.PEM))
deadline = datetime.datetime.now() + datetime.timedelta(seconds=30)
chain = acme.finalize_order(resource, deadline).fullchain_pem
leaf = x509.load_pem_x509_certificate(chain.encode())
assert leaf.public_key() == certificate_key.public_key()
with open(f"{folder}/chain.pem", "w") as file:
    file.write(chain)
print("certificate")

acme.revoke(leaf, 1)
refused("alreadyRevoked", lambda: acme.revoke(leaf, 1))
print("revoked")

acme.deactivate_registration(registration)
refused("unauthorized", lambda: order(acme, identifier))
print("deactivated")
