"""Small widgets that every page uses: cards, fields, message bars, tables."""
