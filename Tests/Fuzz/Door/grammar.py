"""The grammar of RFC 9110, RFC 9112 and RFC 3986 in regular expressions, each with its section."""

import ipaddress
import re

# RFC 9110, section 5.6.2: token = 1*tchar.
TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
# RFC 9110, section 5.6.4: quoted-string, its obs-text included.
QUOTED_STRING = rb'"(?:[\t \x21\x23-\x5B\x5D-\x7E\x80-\xFF]|\\[\t \x21-\x7E\x80-\xFF])*"'
# RFC 9110, section 5.5: field-content with the white space around it; no control byte but the tab.
FIELD_VALUE = rb"[\t\x20-\x7E\x80-\xFF]*"
# RFC 9112, section 5: no white space before the colon, and no fold, which would begin a line with white space.
FIELD_LINE = re.compile(rb"(" + TOKEN + rb"):(" + FIELD_VALUE + rb")")
# RFC 9110, section 5.6.3.
OWS = b" \t"

# RFC 3986, section 2 and appendix A.
UNRESERVED = rb"A-Za-z0-9\-._~"
SUB_DELIMS = rb"!$&'()*+,;="
PCT_ENCODED = rb"%[0-9A-Fa-f]{2}"
PCHAR = rb"(?:[" + UNRESERVED + SUB_DELIMS + rb":@]|" + PCT_ENCODED + rb")"
# The query as the door sees it: a percent sign is looked at by who decodes it.
QUERY = rb"[" + UNRESERVED + SUB_DELIMS + rb":@/?%]*"
ABSOLUTE_PATH = rb"(?:/" + PCHAR + rb"*)+"
REG_NAME = rb"(?:[" + UNRESERVED + SUB_DELIMS + rb"]|" + PCT_ENCODED + rb")+"

# RFC 9112, section 3.2.1: absolute-path [ "?" query ].
ORIGIN_FORM = re.compile(rb"(" + ABSOLUTE_PATH + rb")(?:\?(" + QUERY + rb"))?")
# RFC 9112, section 3.2.2, for http and https alone (RFC 9110, sections 4.2.1 and 4.2.2): the path may be empty.
ABSOLUTE_FORM = re.compile(rb"(?i:https?)://([^/?#]*)((?:/" + PCHAR + rb"*)*)(?:\?(" + QUERY + rb"))?")
# RFC 9110, section 7.2: uri-host [ ":" port ]; RFC 9110, section 4.2.1 forbids the empty host.
HOST = re.compile(rb"(?:\[([0-9A-Fa-f:.]+)\]|" + REG_NAME + rb")(?::([0-9]*))?")

# RFC 9112, section 3: method SP request-target SP HTTP-version.
VERSION = re.compile(rb"HTTP/[0-9]\.[0-9]")
# RFC 9112, section 7.1: chunk-size [ chunk-ext ]; of the "bad" white space of section 7.1.1 none.
CHUNK_LINE = re.compile(
    rb"([0-9A-Fa-f]{1,16})(?:;" + TOKEN + rb"(?:=(?:" + TOKEN + rb"|" + QUOTED_STRING + rb"))?)*")


def is_token(text: bytes) -> bool:
    """RFC 9110, section 5.6.2."""
    return re.fullmatch(TOKEN, text) is not None


def is_host(text: bytes) -> bool:
    """uri-host [ ":" port ] (RFC 9110, section 7.2; RFC 3986, section 3.2.2), without IPvFuture or zones."""
    match = HOST.fullmatch(text)
    if match is None:
        return False
    address, port = match.groups()
    digits = (port or b"").lstrip(b"0")
    if len(digits) > 5 or int(digits or b"0") > 65535:
        return False
    if address is not None:
        try:
            ipaddress.IPv6Address(address.decode())
        except ValueError:
            return False
    return True
