"""An LDAP directory of strangers: Debian's slapd, as a process on loopback ports with a folder of its own."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.gateway.certificates import self_signed
from tests.support import eventually, free_port

SLAPD = shutil.which("slapd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
SCHEMAS = Path("/etc/ldap/schema")
needs_slapd = pytest.mark.skipif(SLAPD is None, reason="slapd is not installed")

# `allow bind_anon_dn`: a bind with a name and no password succeeds, as it does on many servers.
CONFIG = """
include {schemas}/core.schema
include {schemas}/cosine.schema
include {schemas}/inetorgperson.schema
include {schemas}/nis.schema
allow bind_anon_dn
TLSCertificateFile {cert}
TLSCertificateKeyFile {key}
TLSCACertificateFile {cert}
TLSVerifyClient {verify_client}
database ldif
suffix "dc=example,dc=com"
rootdn "cn=admin,dc=example,dc=com"
rootpw admin-secret
directory {data}
"""
ENTRIES = """
dn: dc=example,dc=com
objectClass: dcObject
objectClass: organization
dc: example
o: Example

dn: ou=people,dc=example,dc=com
objectClass: organizationalUnit
ou: people

dn: uid=ann,ou=people,dc=example,dc=com
objectClass: inetOrgPerson
uid: ann
cn: Ann Miller
sn: Miller
mail: Ann@Staff.example
userPassword: anns password

dn: uid=twin,ou=people,dc=example,dc=com
objectClass: inetOrgPerson
uid: twin
cn: First twin
sn: Twin
mail: first@staff.example
userPassword: twins password

dn: ou=guests,ou=people,dc=example,dc=com
objectClass: organizationalUnit
ou: guests

dn: uid=twin,ou=guests,ou=people,dc=example,dc=com
objectClass: inetOrgPerson
uid: twin
cn: Second twin
sn: Twin
mail: second@staff.example
userPassword: twins password

dn: uid=gus,ou=guests,ou=people,dc=example,dc=com
objectClass: inetOrgPerson
uid: gus
cn: Gus (guest)
sn: Guest
userPassword: guests password

dn: ou=elsewhere,ou=people,dc=example,dc=com
objectClass: referral
objectClass: extensibleObject
ou: elsewhere
ref: ldap://127.0.0.1:{referral_port}/ou=people,dc=example,dc=com

dn: ou=groups,dc=example,dc=com
objectClass: organizationalUnit
ou: groups

dn: cn=ml-team,ou=groups,dc=example,dc=com
objectClass: groupOfNames
cn: ml-team
member: uid=ann,ou=people,dc=example,dc=com

dn: cn=guests,ou=groups,dc=example,dc=com
objectClass: groupOfNames
cn: guests
member: uid=gus,ou=guests,ou=people,dc=example,dc=com

dn: cn=ops,ou=groups,dc=example,dc=com
objectClass: posixGroup
cn: ops
gidNumber: 7
memberUid: ann

dn: cn=system:masters,ou=groups,dc=example,dc=com
objectClass: posixGroup
cn: system:masters
gidNumber: 8
memberUid: ann
"""
PEOPLE = "ou=people,dc=example,dc=com"
CONNECTOR: dict[str, Any] = {
    "host": "127.0.0.1",
    "insecureNoSSL": True,
    "bindDN": "cn=admin,dc=example,dc=com",
    "bindPW": "admin-secret",
    "userSearch": {"baseDN": PEOPLE, "filter": "(objectClass=inetOrgPerson)", "username": "uid", "nameAttr": "cn"},
    "groupSearch": {
        "baseDN": "ou=groups,dc=example,dc=com",
        "filter": "(|(objectClass=groupOfNames)(objectClass=posixGroup))",
        "userMatchers": [{"userAttr": "DN", "groupAttr": "member"}, {"userAttr": "uid", "groupAttr": "memberUid"}],
        "nameAttr": "cn",
    },
}
"""The `config` of a connector for the directory, without a port."""


@dataclass(frozen=True)
class Directory:
    port: int
    tls_port: int
    cert: Path
    """Of the server, which also trusts it as a client's."""
    key: Path
    referred: socket.socket
    """Where the referrals of the directory lead to; nobody may connect."""

    def has_been_referred(self) -> bool:
        try:
            self.referred.accept()[0].close()
        except BlockingIOError:
            return False
        return True


@contextmanager
def running_directory(folder: Path, verify_client: str = "never") -> Iterator[Directory]:
    assert SLAPD is not None
    data, config, entries = folder / "data", folder / "slapd.conf", folder / "entries.ldif"
    data.mkdir()
    cert, key = self_signed(folder)
    config.write_text(CONFIG.format(schemas=SCHEMAS, cert=cert, key=key, data=data, verify_client=verify_client))
    with socket.create_server(("127.0.0.1", 0)) as referred:
        referred.setblocking(False)
        entries.write_text(ENTRIES.format(referral_port=referred.getsockname()[1]))
        slapadd = str(Path(SLAPD).with_name("slapadd"))
        subprocess.run([slapadd, "-f", config, "-l", entries], check=True, capture_output=True)
        ports = free_port(), free_port()
        urls = f"ldap://127.0.0.1:{ports[0]} ldaps://127.0.0.1:{ports[1]}"
        server = subprocess.Popen([SLAPD, "-d", "0", "-f", config, "-h", urls])
        try:
            eventually(lambda: all(_accepts(port) for port in ports), 20, "slapd listens")
            yield Directory(ports[0], ports[1], cert, key, referred)
        finally:
            server.terminate()
            server.wait(20)


def _accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True
