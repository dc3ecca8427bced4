"""Pictures as SVG made on the server, from plain values: no script, no request, no database.

Colours are the custom properties of `assay.css`, so that a picture follows the light or dark page it stands in, and they are
given as attributes, since the content security policy allows no inline style. Each has a text alternative; a page puts the
table beside it.
"""
