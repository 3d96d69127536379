"""A setup as the text of a link, which says whether it was changed on its way."""

import base64
import binascii
import zlib

from strategic_env.explorer.setup import Setup

LONGEST_TEXT = 100_000  # of a setup as JSON; what unpacks to more is refused before it is unpacked
DAMAGED = "this link is damaged or was changed, so that it restores nothing: ask for a new one"


def pack(setup: Setup) -> str:
    """Return a setup as letters, digits, ``-`` and ``_``, with a check sum.

    Examples
    --------
    >>> from strategic_env.explorer.setup import Setup
    >>> unpack(pack(Setup(points=((1.0, 0.0, 1.0),)))).points
    ((1.0, 0.0, 1.0),)
    """
    text = setup.to_json().encode()
    return base64.urlsafe_b64encode(zlib.crc32(text).to_bytes(4, "big") + zlib.compress(text, 9)).decode().rstrip("=")


def unpack(link: str) -> Setup:
    """Return the setup that `pack` made a text of.

    Raises
    ------
    ValueError
        If the text was changed or describes no setup: always with the same message.
    """
    try:
        content = base64.b64decode(link + "=" * (-len(link) % 4), altchars=b"-_", validate=True)
        unpacking = zlib.decompressobj()
        text = unpacking.decompress(content[4:], LONGEST_TEXT)
        if not unpacking.eof or unpacking.unused_data or zlib.crc32(text).to_bytes(4, "big") != content[:4]:
            raise ValueError("changed")
        return Setup.from_json(text.decode())
    except (ValueError, TypeError, RecursionError, binascii.Error, zlib.error) as error:
        raise ValueError(DAMAGED) from error
