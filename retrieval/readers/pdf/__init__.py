"""PDF files: glyphs to lines, lines to columns, tables and paragraphs."""
