"""Units whose size is fixed by definition, their spellings, and conversions known from an independent source.

Left out on purpose, because a name does not say which one is meant: cups, spoons, gallons, pints and fluid
ounces (US, imperial or metric), tons, months and years, calories, horsepower, ``KB``.
"""

from __future__ import annotations

Table = dict[str, tuple[str, str]]


def _table(text: str) -> Table:
    """Read ``size spelling spelling ...; size ...`` (an offset stands behind an ``@``)."""
    table: Table = {}
    for row in text.split(";"):
        size, *spellings = [part.replace("~", " ") for part in row.split()]
        scale, _, offset = size.partition("@")
        table |= dict.fromkeys(spellings, (scale, offset or "0"))
    return table


#: dimension -> spelling in lower case -> (size in the base unit, offset added before)
UNITS: dict[str, Table] = {
    "length": _table(
        "1 m meter meters metre metres; 0.001 mm millimeter millimeters millimetre millimetres; "
        "0.01 cm centimeter centimeters centimetre centimetres; 0.1 dm decimeter decimeters decimetre decimetres; "
        "1000 km kilometer kilometers kilometre kilometres; 0.0254 in inch inches; 0.3048 ft foot feet; "
        "0.9144 yd yard yards; 1609.344 mi mile miles; "
        "1852 nmi nautical_mile nautical_miles nautical~mile nautical~miles; "
        "0.000001 um µm μm micrometer micrometers micron microns; 0.000000001 nanometer nanometers nanometre"
    ),
    "weight": _table(
        "1 kg kilogram kilograms kilogramme kilogrammes kilo kilos; 0.001 g gram grams gramme grammes; "
        "0.000001 mg milligram milligrams; 0.000000001 ug µg μg mcg microgram micrograms; "
        "1000 t tonne tonnes metric_ton metric_tons metric~ton metric~tons; "
        "0.45359237 lb lbs pound pounds; 0.028349523125 oz ounce ounces; 6.35029318 st stone stones"
    ),
    "temperature": _table(
        "1@273.15 c °c ºc celsius centigrade degrees_celsius; 5/9@459.67 f °f ºf fahrenheit degrees_fahrenheit; "
        "1 k kelvin kelvins; 5/9 rankine °r"
    ),
    "volume": _table(
        "1 l liter liters litre litres; 0.001 ml milliliter milliliters millilitre millilitres cc; "
        "0.01 cl centiliter centiliters centilitre; 0.1 dl deciliter deciliters decilitre; "
        "1000 m3 m^3 m³ cubic_meter cubic_meters cubic~meters cubic~metres; "
        "0.001 cm3 cm^3 cm³ cubic_centimeter cubic_centimeters; "
        "3.785411784 us_gallon us_gallons us~gallon us~gallons gallon_us gallons_us; "
        "0.016387064 in3 cubic_inch cubic_inches; 28.316846592 ft3 cubic_foot cubic_feet cubic~feet"
    ),
    "area": _table(
        "1 m2 m^2 m² sqm square_meter square_meters square~meters square~metres; "
        "0.0001 cm2 cm^2 cm² square_centimeter square_centimeters; "
        "1000000 km2 km^2 km² square_kilometer square_kilometers square~kilometers; "
        "10000 ha hectare hectares; 4046.8564224 acre acres; "
        "0.09290304 ft2 ft^2 ft² sqft square_foot square_feet square~feet; "
        "0.00064516 in2 in^2 in² square_inch square_inches; 0.83612736 yd2 square_yard square_yards; "
        "2589988.110336 mi2 mi^2 mi² square_mile square_miles square~miles"
    ),
    "speed": _table(
        "1 m/s mps meters_per_second meters~per~second; "
        "5/18 km/h kmh kph kmph kilometers_per_hour kilometers~per~hour; "
        "0.44704 mph mi/h miles_per_hour miles~per~hour; 463/900 knot knots kn kt kts; "
        "0.3048 ft/s fps feet_per_second feet~per~second"
    ),
    "time": _table(
        "1 s sec secs second seconds; 0.001 ms millisecond milliseconds; 60 min mins minute minutes; "
        "3600 h hr hrs hour hours; 86400 d day days; 604800 w wk week weeks; 0.000001 us microsecond microseconds"
    ),
    "pressure": _table(
        "1 pa pascal pascals; 100 hpa hectopascal hectopascals mbar millibar; 1000 kpa kilopascal kilopascals; "
        "1000000 mpa megapascal megapascals; 100000 bar bars; 101325 atm atmosphere atmospheres; "
        "6894.757293168361 psi; 101325/760 torr"
    ),
    "energy": _table(
        "1 j joule joules; 1000 kj kilojoule kilojoules; 3600 wh watt_hour watt_hours; "
        "3600000 kwh kilowatt_hour kilowatt_hours; 1000000 mj megajoule megajoules"
    ),
    "angle": _table(
        "1 deg degree degrees °; 57.295779513082320876798154814105 rad radian radians; 9/10 grad gradian gradians gon; "
        "360 turn turns revolution revolutions; 1/60 arcmin arcminute arcminutes; 1/3600 arcsec arcsecond arcseconds"
    ),
}  # fmt: skip

#: other names of a dimension in the names of tools
DIMENSION_WORDS = {
    "distance": "length", "height": "length", "mass": "weight", "temp": "temperature", "velocity": "speed",
    "duration": "time", **{name: name for name in UNITS},
}  # fmt: skip

#: spellings of units that a name alone does not fix
UNCERTAIN = frozenset(
    "cup cups tbsp tsp tablespoon tablespoons teaspoon teaspoons gallon gallons gal pint pints pt quart quarts qt "
    "floz fl_oz fluid_ounce fluid_ounces ton tons month months year years nm cal kcal calorie calories hp kb mb gb tb "
    "byte bytes bit bits btu hundredweight r mmhg yr".split()
)

#: value, unit, unit, answer: from tables of the NIST (SP 811) and worked by hand
KNOWN: dict[str, tuple[tuple[float, str, str, float], ...]] = {
    "length": (
        (1, "mi", "km", 1.609344), (5, "km", "m", 5000), (12, "in", "ft", 1), (1, "in", "cm", 2.54),
        (3, "ft", "yd", 1),
        (250, "cm", "m", 2.5), (7, "mm", "cm", 0.7), (1, "yd", "m", 0.9144),
        (2, "nmi", "km", 3.704), (1, "m", "dm", 10),
        (1, "ft", "m", 0.3048), (1, "ft", "cm", 30.48), (5, "um", "mm", 0.005), (1, "mi", "ft", 5280),
        (10, "km", "mi", 6.2137119223733395), (1, "m", "ft", 3.280839895013123), (1, "m", "in", 39.37007874015748),
        (5, "mm", "nanometer", 5000000), (10, "cm", "in", 3.937007874015748), (1, "mi", "m", 1609.344),
    ),
    "weight": (
        (2, "kg", "g", 2000), (1, "lb", "kg", 0.45359237), (1, "oz", "g", 28.349523125), (16, "oz", "lb", 1),
        (3, "t", "kg", 3000), (5, "g", "mg", 5000), (1, "st", "lb", 14), (1, "mg", "ug", 1000),
        (1, "kg", "lb", 2.2046226218487757), (100, "g", "oz", 3.527396194958041), (1, "kg", "oz", 35.27396194958041),
    ),
    "temperature": (
        (100, "c", "f", 212), (-40, "f", "c", -40), (0, "c", "k", 273.15), (300, "k", "c", 26.85),
        (32, "f", "k", 273.15),
        (37, "c", "f", 98.6), (491.67, "rankine", "k", 273.15), (212, "f", "c", 100), (310, "k", "f", 98.33),
    ),
    "volume": (
        (2, "l", "ml", 2000), (1, "m3", "l", 1000), (1, "us_gallon", "l", 3.785411784), (50, "cl", "l", 0.5),
        (500, "ml", "l", 0.5), (3, "dl", "ml", 300), (1, "ft3", "l", 28.316846592), (1, "in3", "ml", 16.387064),
    ),
    "area": (
        (1, "ha", "m2", 10000), (1, "acre", "m2", 4046.8564224), (1, "km2", "ha", 100), (9, "ft2", "yd2", 1),
        (144, "in2", "ft2", 1), (1, "mi2", "acre", 640), (1, "m2", "cm2", 10000), (1, "ft2", "m2", 0.09290304),
    ),
    "speed": (
        (36, "km/h", "m/s", 10), (1, "mph", "km/h", 1.609344), (1, "knot", "km/h", 1.852), (10, "ft/s", "m/s", 3.048),
        (100, "km/h", "mph", 62.13711922373339), (10, "m/s", "km/h", 36),
    ),
    "time": (
        (2, "h", "min", 120), (1, "d", "h", 24), (90, "s", "min", 1.5), (1, "w", "d", 7), (1500, "ms", "s", 1.5),
        (3, "us", "ms", 0.003), (3, "min", "s", 180), (36, "h", "d", 1.5),
    ),
    "pressure": (
        (1, "bar", "kpa", 100), (1, "atm", "pa", 101325), (1, "psi", "pa", 6894.757293168361), (760, "torr", "atm", 1),
        (5, "mpa", "bar", 50), (2, "kpa", "pa", 2000), (1013.25, "hpa", "atm", 1),
    ),
    "energy": ((1, "kwh", "kj", 3600), (1, "wh", "j", 3600), (5, "mj", "kj", 5000), (2, "kj", "j", 2000)),
    "angle": (
        (180, "deg", "rad", 3.141592653589793), (1, "rad", "deg", 57.29577951308232), (100, "grad", "deg", 90),
        (1, "turn", "deg", 360), (90, "deg", "rad", 1.5707963267948966), (2, "deg", "arcmin", 120),
        (1, "arcmin", "arcsec", 60), (2, "rad", "deg", 114.59155902616465),
    ),
}  # fmt: skip


def dimension_of(spelling: str) -> str:
    """Return the dimension of a unit's spelling, "" if it is no unit or its size is uncertain."""
    word = spelling.strip().casefold()
    found = [name for name, table in UNITS.items() if word in table]
    return found[0] if len(found) == 1 else ""


def dimensions(spellings: list[str], wanted: str = "") -> list[str] | None:
    """Return the dimensions that spell out all units, None if one of them is unknown or uncertain.

    >>> dimensions(["km", "mi", "kg", "lb"])
    ['length', 'weight']
    >>> dimensions(["ml", "cup"]) is None
    True
    """
    words = [spelling.strip().casefold() for spelling in spellings]
    if wanted:
        return [wanted] if all(word in UNITS[wanted] for word in words) else None
    named = [dimension_of(word) for word in words]
    return None if "" in named or not words else list(dict.fromkeys(named))
