"""Fits ``resources/calibration`` from published measurements. Run by hand; the product only reads the result."""
