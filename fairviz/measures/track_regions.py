"""Regions of TREC Fair Ranking 2022, and the population of each, the track's target of geography.

data/world-pop.csv of the track's published code, after Wikipedia's list of continental subregions by population.
"""

POPULATION = {
    "Antarctica": 1_106,
    "Caribbean": 42_517_000,
    "Central America": 167_387_000,
    "Central Asia": 64_370_000,
    "Eastern Africa": 373_202_000,
    "Eastern Asia": 1_620_807_000,
    "Eastern Europe": 294_162_000,
    "Middle Africa": 135_750_000,
    "Northern Africa": 210_002_000,
    "Northern America": 355_361_000,
    "Northern Europe": 100_404_000,
    "Oceania": 38_304_000,
    "South America": 406_740_000,
    "South-eastern Asia": 618_793_000,
    "Southern Africa": 60_425_000,
    "Southern Asia": 1_749_046_000,
    "Southern Europe": 155_827_000,
    "Western Africa": 331_255_000,
    "Western Asia": 245_707_000,
    "Western Europe": 192_060_000,
}
OCEANIA = ("Australia and New Zealand", "Melanesia", "Micronesia", "Polynesia")  # counted as Oceania
NO_REGION = ("UNK", "@UNKNOWN")
