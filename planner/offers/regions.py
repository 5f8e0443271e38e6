"""Where an offer's machine stands, as far as its text tells, and whether data may travel there."""

from __future__ import annotations

import re

# Names and codes that sellers write; ISO 3166 codes.
_COUNTRIES = {
    "vietnam": "VN", "viet nam": "VN", "germany": "DE", "france": "FR", "netherlands": "NL", "finland": "FI",
    "sweden": "SE", "norway": "NO", "poland": "PL", "spain": "ES", "italy": "IT", "ireland": "IE", "romania": "RO",
    "czechia": "CZ", "belgium": "BE", "austria": "AT", "denmark": "DK", "bulgaria": "BG", "iceland": "IS",
    "united kingdom": "GB", "uk": "GB", "united states": "US", "usa": "US", "canada": "CA", "singapore": "SG",
    "japan": "JP", "india": "IN", "china": "CN", "hong kong": "HK", "taiwan": "TW", "korea": "KR",
    "australia": "AU", "brazil": "BR",
}  # fmt: skip
# Cloud regions that name no country.
_PREFIXES = {"us-": "US", "ca-": "CA"}
# European Economic Area: personal data moves freely inside (GDPR).
EEA = frozenset((
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IS", "IT", "LI",
    "LT", "LU", "LV", "MT", "NL", "NO", "PL", "PT", "RO", "SE", "SI", "SK",
))  # fmt: skip


def country_of(region: str) -> str | None:
    """ "Vietnam", "Frankfurt, Germany", "us-east-1", "DE" → ISO code; None: it does not say."""
    text = region.strip().lower()
    for name, code in _COUNTRIES.items():
        if re.search(rf"\b{name}\b", text):
            return code
    for prefix, code in _PREFIXES.items():
        if text.startswith(prefix):
            return code
    known = {*_COUNTRIES.values(), *EEA}
    last = re.split(r"[\s,]+", region.strip())[-1]
    return last if last in known else None


def is_transfer(collected: str, stored: str) -> bool:
    """Whether personal data collected in one country leaves its law's reach when it is stored in the other."""
    return collected != stored and not {collected, stored} <= EEA
