"""What Schemathesis is told beside the description: what bodies other than JSON hold, and which conditions to try."""

import plistlib
import re

import schemathesis
from hypothesis import strategies as st

names = st.text(st.characters(min_codepoint=32, max_codepoint=0xFFFF, exclude_categories=["Cs", "Cc"]), max_size=20)
scalars = names | st.integers(-(2**63), 2**63 - 1) | st.booleans() | st.binary(max_size=20)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3))
lists = st.dictionaries(names, values, max_size=4)
xml = lists.filter(lambda value: "￾" not in str(value) and "￿" not in str(value)).map(plistlib.dumps)
binary = lists.map(lambda value: plistlib.dumps(value, fmt=plistlib.FMT_BINARY))

schemathesis.openapi.media_type("application/xml", xml)
schemathesis.openapi.media_type("application/x-plist", xml | binary | st.binary(max_size=200))
schemathesis.openapi.media_type("application/octet-stream", st.binary(max_size=200))

cells = st.text("abcdefgh0123456789@.-${}\"", max_size=12)
rows = st.lists(st.lists(cells, min_size=1, max_size=4).map(",".join), max_size=5).map("\n".join)
headers = st.sampled_from(
    ["userName,email\n", "serialNumber,group,chip\n", "serialNumber,password\n", "device,location\n", ""]
)
schemathesis.openapi.media_type(
    "text/csv", st.tuples(headers, rows).map(lambda drawn: (drawn[0] + drawn[1]).encode())
)

TAGS = re.compile(r'(\*|"[!#-~]*"(, ?"[!#-~]*")*)')


@schemathesis.hook
def map_headers(context, headers):
    """Of tags that are made up none is right: what follows the description mostly expects anything, so that more than the
    condition is tried."""
    if headers and TAGS.fullmatch(headers.get("If-Match") or ""):
        headers = {**headers, "If-Match": "*"}
        if headers.get("If-None-Match") == "*":
            del headers["If-None-Match"]
    return headers
