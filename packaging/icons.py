"""The program's icon in the forms that Windows, macOS and Linux want, painted from the one SVG by Qt."""

from __future__ import annotations

import os
import struct
from pathlib import Path

SIZES_PX = (16, 24, 32, 48, 64, 128, 256)


def _painted(svg: Path, size_px: int) -> bytes:
    """A PNG of ``size_px`` × ``size_px``."""
    from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    image = QImage(size_px, size_px, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(svg)).render(painter)
    painter.end()
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(content.data())


def _as_ico(pictures: dict[int, bytes]) -> bytes:
    """An ICO of PNGs: a header, a directory of 16 bytes each, the pictures. 256 pixels are written as 0."""
    offset = 6 + 16 * len(pictures)
    directory = b""
    for size_px, picture in pictures.items():
        side = size_px % 256
        directory += struct.pack("<BBBBHHII", side, side, 0, 0, 1, 32, len(picture), offset)
        offset += len(picture)
    return struct.pack("<HHH", 0, 1, len(pictures)) + directory + b"".join(pictures.values())


def _as_icns(pictures: dict[int, bytes]) -> bytes:
    """An ICNS of PNGs; the four letters say the size."""
    kinds = {128: b"ic07", 256: b"ic08", 512: b"ic09"}
    blocks = b"".join(
        kind + struct.pack(">I", 8 + len(pictures[size_px])) + pictures[size_px] for size_px, kind in kinds.items()
    )
    return b"icns" + struct.pack(">I", 8 + len(blocks)) + blocks


def paint_icons(svg: Path, folder: Path) -> dict[str, Path]:
    """Write gpu-planner.png, .ico and .icns into ``folder``; their paths by suffix without the dot."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtGui import QGuiApplication

    application = QGuiApplication.instance() or QGuiApplication([])  # must live while Qt paints
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {size_px: _painted(svg, size_px) for size_px in (*SIZES_PX, 512)}
    contents = {
        "png": pictures[256],
        "ico": _as_ico({size_px: pictures[size_px] for size_px in SIZES_PX}),
        "icns": _as_icns(pictures),
    }
    del application
    written = {suffix: folder / f"gpu-planner.{suffix}" for suffix in contents}
    for suffix, content in contents.items():
        written[suffix].write_bytes(content)
    return written
