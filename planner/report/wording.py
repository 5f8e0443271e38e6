"""Codes and values → sentences. Values are formatted by the suffix of their names, as the domain names them."""

from __future__ import annotations

from dataclasses import dataclass

from planner.decide.types import Option, Reason, Recommendation
from planner.evidence import Evidence, Range
from planner.messages import Messages
from planner.report.numbers import Ladder, exact_text, range_texts

# Units from large to small: (smallest value shown in it, size, message below "format.unit.").
_SECONDS: Ladder = (
    (4 * 86400.0, 86400.0, "day"),
    (2 * 3600.0, 3600.0, "h"),
    (120.0, 60.0, "min"),
    (1.0, 1.0, "s"),
    (1e-3, 1e-3, "ms"),
    (0.0, 1e-6, "us"),
)
_HOURS: Ladder = tuple((start / 3600.0, size / 3600.0, unit) for start, size, unit in _SECONDS)
_BINARY_BYTES: Ladder = (
    (2.0**40, 2.0**40, "tib"),
    (2.0**30, 2.0**30, "gib"),
    (2.0**20, 2.0**20, "mib"),
    (2.0**10, 2.0**10, "kib"),
    (0.0, 1.0, "byte"),
)
_DECIMAL_BYTES: Ladder = (
    (1e12, 1e12, "tb"),
    (1e9, 1e9, "gb"),
    (1e6, 1e6, "mb"),
    (1e3, 1e3, "kb"),
    (0.0, 1.0, "byte"),
)
_FLOPS: Ladder = (
    (1e12, 1e12, "tflops"),
    (1e9, 1e9, "gflops"),
    (1e6, 1e6, "mflops"),
    (1e3, 1e3, "kflops"),
    (0.0, 1.0, "flops"),
)
_BANDWIDTH: Ladder = (
    (1e9, 1e9, "gb_per_s"),
    (1e6, 1e6, "mb_per_s"),
    (1e3, 1e3, "kb_per_s"),
    (0.0, 1.0, "byte_per_s"),
)

# By suffix of a value's name; the first that matches wins, so the longer ones come first.
_LADDERS: tuple[tuple[str, Ladder], ...] = (
    ("_flops_per_s", _FLOPS),
    ("_bytes_per_s", _BANDWIDTH),
    ("dataset_bytes", _DECIMAL_BYTES),  # files and transfers are sold and typed in GB, memory in GiB
    ("result_bytes", _DECIMAL_BYTES),
    ("gradient_bytes", _DECIMAL_BYTES),
    ("bytes", _BINARY_BYTES),
    ("_mbit_per_s", ((0.0, 1.0, "mbit_per_s"),)),
    ("_mb_per_s", ((0.0, 1.0, "mb_per_s"),)),
    ("_samples_per_s", ((0.0, 1.0, "samples_per_s"),)),
    ("gbs", ((0.0, 1.0, "gb_per_s"),)),
    ("_kwh", ((0.0, 1.0, "kwh"),)),
    ("_percent", ((0.0, 1.0, "percent"),)),
    ("_share", ((0.0, 0.01, "percent"),)),
    ("confidence", ((0.0, 0.01, "percent"),)),
    ("_kg", ((0.0, 1.0, "kg"),)),
    ("_per_month", ((0.0, 1.0, "h_per_month"),)),
    ("_days", ((0.0, 1.0, "day"),)),
    ("_per_gpu", ((0.0, 1.0, "per_gpu"),)),
    ("_w", ((0.0, 1.0, "watt"),)),
    ("_h", _HOURS),
    ("_s", _SECONDS),
)
_MONEY = (
    ("usd_per_kwh", "usd_per_kwh"),
    ("usd_per_h", "usd_per_h"),
    ("usd_per_hour", "usd_per_h"),
    ("usd_per_gpu_h", "usd_per_gpu_h"),
    ("usd_per_month", "usd_per_month"),
    ("usd", "usd"),
)


def short_device(name: str) -> str:
    """A rented card as it is advertised: "NVIDIA GeForce RTX 3090" → "RTX 3090"."""
    return name.removeprefix("NVIDIA ").removeprefix("GeForce ")


@dataclass(frozen=True)
class Wording:
    """Everything that is said in one language."""

    messages: Messages

    def say(self, code: str, **values: object) -> str:
        """The sentence of ``code``; its values are formatted by their names. None reads "not known"."""
        return self.messages.say(code, **{name: self.value(name, value) for name, value in values.items()})

    def value(self, name: str, value: object) -> str:
        """One value as text with its unit: ("time_s", Range(3e4, 6e4, 1e5)) → "17 h (8–28 h)"."""
        match value:
            case None:
                return self.messages.say("format.unknown")
            case bool():
                return self.messages.say("format.yes" if value else "format.no")
            case Evidence():
                return self.grade(value)
            case str():
                return self._text(name, value)
            case Range() | int() | float():
                return self._quantity(name, value)
        raise TypeError(f"{name}: no wording for {type(value).__name__}")

    def likely(self, name: str, value: Range) -> str:
        """The likely value without its range, rounded as the range allows: for labels beside a drawn range."""
        return self._quantity(name, value, with_range=False)

    def grade(self, evidence: Evidence) -> str:
        """Evidence grade in words: "B – measured here by the benchmark"."""
        return self.messages.say(f"format.grade.{evidence.value}")

    def option(self, option: Option) -> str:
        """An option's short name: "This machine", "4 × RTX 3090"."""
        if option.kind == "local":
            return self.messages.say("format.option.local")
        device = short_device(option.device_name)
        return self.messages.say("format.option.rent", count=str(option.gpu_count), device=device)

    def named(self, option: Option) -> str:
        """An option inside a sentence: "this machine", "4 × RTX 3090"."""
        return self.value("option", option.key) if option.kind == "local" else self.option(option)

    def reason(self, reason: Reason) -> str:
        sentence = self.say(f"reason.{reason.code.removeprefix('reason.')}", **dict(reason.values))
        named = sentence.startswith(self.messages.say("format.option.local_short"))  # not "iRender has …"
        return sentence[0].upper() + sentence[1:] if named else sentence

    def source(self, source: str) -> str:
        """A source is a message code below "source." or a citation that is shown as it stands."""
        code = f"source.{source.removeprefix('source.')}"
        return self.messages.say(code) if self.messages.knows(code) else source

    def verdict(self, recommendation: Recommendation) -> str:
        """The one sentence: what to do, how long, for how much, how sure, what it hinges on."""
        hinge = self.reason(recommendation.reasons[0]).rstrip(".") if recommendation.reasons else ""
        if recommendation.chosen is None:
            sentence = self.messages.say(f"verdict.{recommendation.verdict}")
        else:
            sentence = self._advice(recommendation, recommendation.chosen)
        return self.messages.say("verdict.with_hinge", sentence=sentence, hinge=hinge) if hinge else f"{sentence}."

    def _advice(self, recommendation: Recommendation, chosen: str) -> str:
        option = recommendation.option(chosen)
        price = "cost_unknown" if option.cost_usd is None else "cost"
        code = f"{option.kind}" if recommendation.verdict in ("local", "rent") else recommendation.verdict
        code = "unpriced" if option.cost_usd is None else code
        return self.messages.say(
            f"verdict.{code}",
            option=self._named(option),
            time=self.say("verdict.time", time_s=option.time_s),
            cost=self.say(f"verdict.{price}", cost_usd=option.cost_usd),
            confidence=self.value("confidence_share", recommendation.confidence),
        )

    def _named(self, option: Option) -> str:
        code = "local" if option.kind == "local" else "rent_one" if option.gpu_count == 1 else "rent"
        device = option.device_name if option.kind == "local" else short_device(option.device_name)
        return self.messages.say(f"verdict.option.{code}", count=str(option.gpu_count), device=device)

    def _text(self, name: str, value: str) -> str:
        """Texts named "…option" are option keys; others stand for themselves or for a word of "format.word."."""
        if name.endswith("option") and (value == "local" or value.startswith("rent-")):
            count = value.removeprefix("rent-")
            code = "local_short" if value == "local" else "rent_short"
            return self.messages.say(f"format.option.{code}", count=count)
        word = f"format.word.{value}"
        return self.messages.say(word) if self.messages.knows(word) else value

    def _quantity(self, name: str, value: Range | float, with_range: bool = True) -> str:
        for suffix, unit in _MONEY:
            if name.endswith(suffix):
                return self._joined(value, self.messages.templates[f"format.unit.{unit}"], with_range, money=True)
        for suffix, ladder in _LADDERS:
            if name.endswith(suffix):
                return self._in_units(value, ladder, with_range)
        return self._joined(value, "{number}", with_range)

    def _in_units(self, value: Range | float, ladder: Ladder, with_range: bool) -> str:
        size_of = abs(value.likely or value.high if isinstance(value, Range) else float(value))
        base = next((step[1:] for step in ladder if step[1] == 1.0), ladder[-1][1:])  # "0 s", not "0 µs"
        size, unit = next((step[1:] for step in ladder if size_of and size_of >= step[0]), base)
        if not isinstance(value, Range) and unit == "percent":
            return self._percent(float(value) / size)
        scaled = value.scaled(1 / size) if isinstance(value, Range) else float(value) / size
        return self._joined(scaled, self.messages.templates[f"format.unit.{unit}"], with_range)

    def _percent(self, percent: float) -> str:
        """A share as whole per cent, which is all that simulated cases support; never 100 % for what can fail."""
        template = self.messages.templates["format.unit.percent"]
        if 0 < percent < 1:
            return self.messages.say("format.under", value=template.format(number=1))
        if 99 < percent < 100:
            return self.messages.say("format.over", value=template.format(number=99))
        return template.format(number=round(percent))

    def counted_share(self, share: float | None, signed: bool = False) -> str:
        """A share of what was counted, with one decimal: 0.043 → "4.3 %", signed "+4.3 %"; None: "not known"."""
        if share is None:
            return self.messages.say("format.unknown")
        number = self._local(f"{100 * share:{'+' if signed else ''}.1f}")
        return self.messages.templates["format.unit.percent"].format(number=number)

    def _joined(self, value: Range | float, template: str, with_range: bool, money: bool = False) -> str:
        """Likely with its unit, then the range in brackets with the same unit."""
        if not isinstance(value, Range) or value.low == value.high:
            number = value.likely if isinstance(value, Range) else value
            return template.format(number=self._local(exact_text(number, money)))
        low, likely, high = (self._local(text) for text in range_texts(value, money))
        if not with_range:
            return template.format(number=likely)
        if low == high:
            return self.messages.say("format.about", value=template.format(number=likely))
        joint = "format.spread_signed" if value.low < 0 else "format.spread"
        spread = template.format(number=self.messages.say(joint, low=low, high=high))
        return self.messages.say("format.range", likely=template.format(number=likely), spread=spread)

    def _local(self, number: str) -> str:
        """The language's decimal point and digit grouping."""
        return self.messages.marked(number)
