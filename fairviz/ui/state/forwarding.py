"""Requests that a proxy forwarded, by their headers."""

from collections.abc import Iterable

FORWARDING = frozenset(  # headers that a proxy adds, besides those that begin with FORWARDED
    ("forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "x-original-forwarded-for",
     "x-original-host", "x-envoy-external-address", "true-client-ip", "client-ip", "cf-connecting-ip", "cf-ray",
     "fastly-client-ip", "fly-client-ip", "x-proxyuser-ip", "x-azure-clientip")
)  # fmt: skip
FORWARDED = "x-forwarded"


def is_forwarded(headers: Iterable[str]) -> bool:
    """Return whether one of these headers was added by a proxy."""
    names = {name.lower() for name in headers}
    return not FORWARDING.isdisjoint(names) or any(name.startswith(FORWARDED) for name in names)
