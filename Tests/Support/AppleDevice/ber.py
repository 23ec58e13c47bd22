"""ASN.1 as Apple's Security framework writes and reads it: BER, with lengths that are left open (X.690 §8.1.3.6)."""


def length(count):
    if count < 0x80:
        return bytes([count])
    size = count.to_bytes((count.bit_length() + 7) // 8, "big")
    return bytes([0x80 | len(size)]) + size


def definite(tag, *parts):
    """An element that says how long it is."""
    content = b"".join(parts)
    return bytes([tag]) + length(len(content)) + content


def left_open(tag, *parts):
    """The same element without a length, ended by two zero bytes."""
    return bytes([tag, 0x80]) + b"".join(parts) + b"\0\0"


def segmented(tag, content, size=1000):
    """A string that is written piece by piece, as streaming writers do; `tag` is that of the whole, such as 0x24."""
    pieces = [definite(0x04, content[at:at + size]) for at in range(0, len(content), size)]
    return left_open(tag, *pieces)


def integer(number):
    return definite(0x02, number.to_bytes(number.bit_length() // 8 + 1, "big"))


def octets(content):
    return definite(0x04, content)


def printable(text):
    return definite(0x13, text.encode("ascii"))


def identifier(text):
    first, second, *others = (int(part) for part in text.split("."))
    content = bytes([first * 40 + second])
    for number in others:
        part = [number & 0x7F]
        while number > 0x7F:
            number >>= 7
            part.insert(0, number & 0x7F | 0x80)
        content += bytes(part)
    return definite(0x06, content)


NULL = b"\x05\0"


def algorithm(text):
    return definite(0x30, identifier(text), NULL)


class Element:
    """One element: its tag, its content, and all of its bytes."""

    def __init__(self, data, at=0):
        self.tag, first = data[at], data[at + 1]
        if first == 0x80:
            end = at + 2
            while data[end:end + 2] != b"\0\0":
                end = Element(data, end).end
            self.content, self.end = data[at + 2:end], end + 2
        else:
            count = first & 0x7F if first >= 0x80 else 0
            size = int.from_bytes(data[at + 2:at + 2 + count], "big") if count else first
            start = at + 2 + count
            self.content, self.end = data[start:start + size], start + size
        self.bytes = data[at:self.end]

    def children(self):
        found, at = [], 0
        while at < len(self.content):
            found.append(Element(self.content, at))
            at = found[-1].end
        return found

    def string(self):
        """The bytes of a string, whether it was written whole or in pieces."""
        if self.tag & 0x20 == 0:
            return self.content
        return b"".join(child.string() for child in self.children())
