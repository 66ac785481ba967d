"""AWS Signature Version 4 as a client writes it, with the standard library alone. A pod runs this file too."""

import hashlib
import hmac
from datetime import UTC, datetime
from urllib.parse import quote, urlsplit


def signed_headers(
    method: str,
    url: str,
    body: bytes,
    keys: tuple[str, str],
    headers: dict[str, str] | None = None,
    payload: str = "",
    now: datetime | None = None,
) -> dict[str, str]:
    """The headers of a request with its signature. `payload`: that of x-amz-content-sha256, if not the SHA-256."""
    access, secret = keys
    parts = urlsplit(url)
    time = (now or datetime.now(UTC)).strftime("%Y%m%dT%H%M%SZ")
    sent = {name.lower(): value for name, value in (headers or {}).items()} | {
        "host": parts.netloc,
        "x-amz-content-sha256": payload or hashlib.sha256(body).hexdigest(),
        "x-amz-date": time,
    }
    query = "&".join(sorted(each if "=" in each else f"{each}=" for each in parts.query.split("&") if each))
    names = sorted(sent)
    canonical = "\n".join(
        [
            method,
            quote(parts.path, safe="/-._~%"),
            query,
            *(f"{name}:{sent[name]}" for name in names),
            "",
            ";".join(names),
            sent["x-amz-content-sha256"],
        ]
    )
    scope = f"{time[:8]}/us-east-1/s3/aws4_request"
    text = f"AWS4-HMAC-SHA256\n{time}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    credential = f"Credential={access}/{scope}, SignedHeaders={';'.join(names)}, Signature={signature}"
    return {**sent, "authorization": f"AWS4-HMAC-SHA256 {credential}"}
