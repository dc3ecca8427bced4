"""Whether a score can be earned by memory: what the splits of a corpus share (ChEMU 2020, section 9).

Documents in, frozen results out; nothing here opens a file.
"""
