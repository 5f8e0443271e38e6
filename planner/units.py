"""Quantities as people type and read them.

Parsing raises ValueError with a sentence that names what was typed and what would be accepted.
"""

from __future__ import annotations

import math
import re

KIB, MIB, GIB = 2**10, 2**20, 2**30

_COUNT_SUFFIXES = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9, "bn": 1e9}
_BYTE_SUFFIXES = {
    "": 1.0, "b": 1.0,
    "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
    "kib": 2.0**10, "mib": 2.0**20, "gib": 2.0**30, "tib": 2.0**40,
    "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12,
}  # fmt: skip
_TIME_SUFFIXES = {"s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "day": 86400.0,
                  "days": 86400.0, "w": 604800.0}  # fmt: skip
_NOT_A_DURATION = "{!r} is not a duration: write 36, 2h30, 90 min or 1d 6h"
# Commas only group thousands ("1,200,000"): "1,5" means different numbers to different people and is refused.
_NUMBER = r"[-+]?(?:\d{1,3}(?:,\d{3})+(?:\.\d*)?|\d[\d_ ]*\.?\d*|\.\d+)(?:e[-+]?\d+)?"


def _number(text: str) -> float:
    return float(re.sub("[ _,]", "", text))


def _split(text: str) -> tuple[float, str]:
    match = re.fullmatch(rf"\s*({_NUMBER})\s*([a-zA-Zµ%/]*)\s*", text)
    if not match:
        raise ValueError(f"{text.strip()!r} is not a number")
    value = _number(match[1])
    if not math.isfinite(value):
        raise ValueError(f"{text.strip()!r} is too large")
    return value, match[2].lower()


def parse_count(text: str) -> float:
    """ "1.2M" → 1200000.0. Suffixes k, M, B."""
    value, suffix = _split(text)
    if suffix not in _COUNT_SUFFIXES:
        raise ValueError(f"unknown suffix {suffix!r}: write a number such as 1200, 1.2M or 3B")
    return value * _COUNT_SUFFIXES[suffix]


def parse_bytes(text: str) -> float:
    """ "45 GB" → 4.5e10 bytes. Decimal (GB) and binary (GiB) suffixes."""
    value, suffix = _split(text)
    if suffix not in _BYTE_SUFFIXES:
        raise ValueError(f"unknown unit {suffix!r}: write a size such as 45 GB or 800 MiB")
    return value * _BYTE_SUFFIXES[suffix]


def parse_duration_s(text: str) -> float:
    """ "2h30" → 9000.0 s; "90 min", "1d 6h" and "36" (hours) also."""
    compact = text.strip().lower().replace(" ", "")
    parts = re.findall(rf"({_NUMBER})([a-z]*)", compact)
    if not parts or "".join(number + unit for number, unit in parts) != compact:
        raise ValueError(_NOT_A_DURATION.format(text.strip()))
    total_s, default_unit = 0.0, "h"
    for number, unit in parts:
        if (unit or default_unit) not in _TIME_SUFFIXES:
            raise ValueError(_NOT_A_DURATION.format(text.strip()))
        total_s += _number(number) * _TIME_SUFFIXES[unit or default_unit]
        default_unit = "min" if unit == "h" else ""  # "2h30": a bare number after hours is minutes
    if not math.isfinite(total_s):
        raise ValueError(f"{text.strip()!r} is too large")
    return total_s


def significant(value: float, digits: int = 3) -> str:
    """``value`` with at most ``digits`` significant digits and no exponent: 1234.5 → "1,230"."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "–"
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    rounded = round(value, decimals)
    text = f"{rounded:,.{max(decimals, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def format_bytes(value: float) -> str:
    """Binary units, as GPUs are sold and reported: 25769803776 → "24 GiB"."""
    for unit, size in (("TiB", 2.0**40), ("GiB", 2.0**30), ("MiB", 2.0**20), ("KiB", 2.0**10)):
        if abs(value) >= size:
            return f"{significant(value / size)} {unit}"
    return f"{significant(value)} B"


def format_rate(value: float, unit: str) -> str:
    """Decimal prefixes, as rates are published: format_rate(12.5e6, "FLOP/s") → "12.5 MFLOP/s"."""
    for prefix, size in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(value) >= size:
            return f"{significant(value / size)} {prefix}{unit}"
    return f"{significant(value)} {unit}"


def format_duration(seconds: float) -> str:
    """The two largest units: 9000 → "2 h 30 min", 0.0123 → "12.3 ms"."""
    if seconds < 1:
        return f"{significant(seconds * 1e3)} ms" if seconds >= 1e-3 else f"{significant(seconds * 1e6)} µs"
    if seconds < 60:
        return f"{significant(seconds, 2)} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 48 * 60:
        hours, rest = divmod(minutes, 60)
        return f"{hours} h {rest} min" if rest else f"{hours} h"
    days, hours = divmod(round(minutes / 60), 24)
    return f"{days:,} d {hours} h" if hours else f"{days:,} d"


def format_money(amount: float, currency: str = "USD") -> str:
    """Symbol or code with two decimals below 100, none above; VND never has decimals."""
    if currency == "VND":
        return f"{amount:,.0f} ₫"
    decimals = 2 if abs(amount) < 100 else 0
    text = f"{amount:,.{decimals}f}"
    return f"${text}" if currency == "USD" else f"€{text}" if currency == "EUR" else f"{text} {currency}"
