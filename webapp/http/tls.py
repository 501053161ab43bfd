"""A self-signed certificate (ECDSA P-256), because browsers share a phone's camera only over HTTPS.

It proves no identity: a browser asks its user once whether to continue. It is made anew if it no
longer names this computer's hosts, or is about to expire.
"""

from __future__ import annotations

import ipaddress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from webapp.http.private_file import write_private_file

#: Browsers refuse certificates that last longer than 825 days.
_VALIDITY = timedelta(days=365)
#: A certificate that expires within this time is renewed.
_MARGIN = timedelta(days=7)


def keep_certificate(path: Path, key_path: Path, names: tuple[str, ...]) -> None:
    """Make a certificate for these hosts and its key, unless the stored ones fit.

    Raises ``OSError``.
    """
    if not (key_path.exists() and _is_valid_for(path, names)):
        _create_certificate(path, key_path, names)


def _is_valid_for(path: Path, names: tuple[str, ...]) -> bool:
    try:
        parsed = x509.load_pem_x509_certificate(path.read_bytes())
        alternative_names = parsed.extensions.get_extension_for_class(
            x509.SubjectAlternativeName
        ).value
    except (OSError, ValueError, x509.ExtensionNotFound):
        return False
    is_fresh = parsed.not_valid_after_utc > datetime.now(UTC) + _MARGIN
    return is_fresh and {_general_name(name) for name in names} <= set(alternative_names)


def _create_certificate(path: Path, key_path: Path, names: tuple[str, ...]) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Crokinole Referee")])
    begin = datetime.now(UTC) - timedelta(hours=1)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + _VALIDITY)
        .add_extension(x509.SubjectAlternativeName([_general_name(name) for name in names]), False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    write_private_file(key_path, private)
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM))


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
