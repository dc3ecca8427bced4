"""Invented chemistry: names of compounds, amounts and conditions. Nothing here need be possible."""

from __future__ import annotations

from random import Random

_GROUPS = (
    "chloro", "bromo", "fluoro", "methoxy", "nitro", "cyano", "amino", "methyl", "ethyl", "benzyl", "hydroxy",
    "tert-butyl", "trifluoromethyl", "cyclopropyl", "phenyl", "acetyl",
)  # fmt: skip
_CORES = (
    "pyridine", "quinoline", "indole", "benzamide", "thiazole", "morpholine", "piperidine", "pyrazole", "aniline",
    "benzofuran", "imidazole", "pyrimidine", "oxazole", "naphthalene", "thiophene", "purine",
)  # fmt: skip
_TAILS = ("-3-carboxylic acid", "-4-carbaldehyde", "-2-amine", "-5-carbonitrile", "-3-one", "-4-yl acetate", "")
_RARE_GROUPS = ("selanyl", "germyl", "azulenyl", "norbornyl", "adamantyl", "ferrocenyl")
_RARE_CORES = ("phenazine", "cinnoline", "tropone", "corannulene", "borepin", "phosphole")
_MARKS = ("α-", "β-", "Δ9-", "N,N′-", "(3R,4S)-", "µ-")

SOLVENTS = ("THF", "DMF", "ethanol", "toluene", "1,4-dioxane", "acetonitrile", "dichloromethane", "water", "2-MeTHF")
REAGENTS = ("NaH", "K₂CO₃", "Pd/C", "triethylamine", "n-BuLi", "HATU", "p-TsOH", "CuI", "diisopropylethylamine", "NaBH₄")
OTHERS = ("brine", "ethyl acetate", "silica gel", "Na₂SO₄", "saturated aqueous NH₄Cl", "hexane", "diethyl ether", "1 N HCl")
AMBIGUOUS = ("methanol", "acetic acid", "acetone", "pyridine")
"""Names that are a solvent in one snippet and something else in the next."""


def common_name(random: Random) -> str:
    """A compound of the kind that fills the training documents."""
    return f"{random.randint(2, 8)}-{random.choice(_GROUPS)}{random.choice(_CORES)}{random.choice(_TAILS)}"


def long_name(random: Random) -> str:
    """A compound with several groups, brackets and a mark that is not ASCII."""
    first, second = random.choice(_GROUPS), random.choice(_GROUPS)
    locants = f"{random.randint(2, 4)}-[({random.randint(5, 8)}"
    return f"{random.choice(_MARKS)}{locants}-{first}-{second}){random.choice(_CORES)}-1-yl]{random.choice(_CORES)}"


def reserved_name(random: Random) -> str:
    """A compound of the kind that is kept for the test sets."""
    return f"{random.randint(2, 8)}-{random.choice(_RARE_GROUPS)}-{random.choice(_RARE_CORES)}{random.choice(_TAILS)}"


def amount(random: Random) -> str:
    """A mass, a volume or an amount of substance."""
    value = f"{random.uniform(0.1, 9.9):.2f}"
    return f"{value} {random.choice(('g', 'mg', 'mL', 'mmol', 'µL'))}"


def time(random: Random) -> str:
    """How long."""
    return random.choice((f"{random.randint(1, 24)} h", f"{random.randint(5, 55)} min", "overnight", "2–3 h", "three days"))


def temperature(random: Random) -> str:
    """How warm."""
    degrees = f"{random.randint(-78, 140)} °C"
    return random.choice(
        (degrees, degrees, "room temperature", "reflux", f"{random.randint(0, 20)}–{random.randint(21, 40)} °C")
    )
