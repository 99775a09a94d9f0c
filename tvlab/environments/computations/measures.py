"""The catalogue's measures: percentages, money by a stated formula, bodies, shapes, distances, dates."""

from __future__ import annotations

from tvlab.environments.computations.computation_forms import (
    FLAG,
    INTEGER,
    NUMBER,
    TEXT,
    Computation,
    Input,
    one,
    part,
)

_WEIGHT = part("weight", "number", "weight_kg weight_in_kg kg weight mass_kg")
_BMI = ("bmi", "body mass index")
_START = part("start", "date", "start_date start from_date from date_from begin_date")
_END = part("end", "date", "end_date end to_date to date_to finish_date")

_GROWTH = (
    part("principal", "number", "principal principal_amount p initial_amount"),
    part("rate", "number", "rate annual_rate interest_rate annual_interest_rate r"),
    part("years", "number", "years time time_years t"),
    part("times", "whole", "n compounds_per_year compounding_frequency times_per_year times_compounded", "1"),
)
_OTHER_GROWTH = r"contribut|deposit|monthly payment|continuous|interest earned|months|inflation|annuity"

_SHARES = (
    Computation(
        "percentage_of_total", ("percentage", "percent", "what percent", "what percentage"), r"percent", (
            part("part", "number", "part value amount obtained numerator portion"),
            part("total", "number", "total whole total_value denominator"),
        ), "divided(100 * {part}, {total})", NUMBER, (((30, 120), 25), ((5, 4), 125)), refused=((1, 0),),
        unless="change|increase|discount|tip|format",
    ),
    Computation(
        "percentage_change", ("percentage change", "percent change", "percentage difference from"), r"change|increase",
        (part("old", "number", "old_value old initial from_value original initial_value start_value original_value"),
         part("new", "number", "new_value new final to_value final_value end_value")),
        "divided(100 * ({new} - {old}), {old})", NUMBER, (((80, 100), 25), ((100, 80), -20)), refused=((0, 5),),
        unless="absolute|portfolio|stock",
    ),
    Computation(
        "percent_of", ("percentage of", "percent of", "percentage", "percent"), r"percent", (
            part("percent", "number", "percent percentage pct rate"),
            part("value", "number", "value number total amount of base"),
        ), "finite({percent} * {value} / 100)", NUMBER, (((25, 120), 30), ((150, 4), 6)),
        needs=r"percent(?:age)? of|% of", unless="change|increase|discount|tip|tax|what percent",
    ),
    Computation(
        "monthly_payment", ("loan payment", "monthly payment", "mortgage payment", "emi", "mortgage", "loan",
                            "loan emi", "monthly loan payment", "monthly mortgage payment"),
        r"month|\bemi\b|installment", (
            part("principal", "number", "principal loan_amount amount loan principal_amount"),
            part("rate", "number", "annual_rate annual_interest_rate interest_rate rate annual_rate_percent "
                                   "rate_percent interest_rate_percent"),
            part("years", "number", "years term_years loan_term_years term_in_years tenure_years"),
        ), "monthly_payment({principal}, {rate}, {years})", NUMBER,
        (((200000, 6, 30), 1199.1010503055138), ((12000, 0, 1), 1000)), needs=r"percent|%",
        unless=r"decimal|tax|insurance|down ?payment|schedule|total interest|breakdown|amortization|extra|0\.0\d",
        refused=((1000, 5, 0),),
    ),
    Computation(
        "simple_interest", ("simple interest",), r"simple interest", (
            part("principal", "number", "principal principal_amount p"),
            part("rate", "number", "rate annual_rate interest_rate r rate_percent"),
            part("years", "number", "years time time_years t duration_years"),
        ), "finite(not_below({principal}) * {rate} * not_below({years}) / 100)", NUMBER,
        (((1000, 5, 2), 100), ((800, 3, 0.5), 12)), needs=r"percent|%", refused=((-1, 5, 1),),
        unless=r"decimal|total amount|final amount|0\.0\d|months|days|compound",
    ),
    Computation(
        "compound_amount_percent", ("compound interest", "compound amount", "future value"), r"compound|future value",
        _GROWTH, "compounded({principal}, {rate} / 100, {years}, {times})", NUMBER,
        (((1000, 10, 2, 1), 1210), ((1000, 12, 1, 12), 1126.8250301319698), ((500, 0, 3, 1), 500)),
        needs=r"(?=.*(?:percent|%))(?=.*(?:final amount|total amount|future value|final balance))",
        unless=_OTHER_GROWTH + "|decimal", refused=((1000, 10, 1, 0),),
    ),
    Computation(
        "compound_amount_decimal", ("compound interest", "compound amount", "future value"), r"compound|future value",
        _GROWTH, "compounded({principal}, {rate}, {years}, {times})", NUMBER,
        (((1000, 0.1, 2, 1), 1210), ((1000, 0.12, 1, 12), 1126.8250301319698), ((500, 0, 3, 1), 500)),
        needs=r"(?=.*decimal)(?=.*(?:final amount|total amount|future value|final balance))",
        unless=_OTHER_GROWTH + "|percentage|interest earned", refused=((1000, 0.1, 1, 0),),
    ),
    Computation(
        "to_base_unit", ("convert to base unit", "to base unit", "to base units", "convert to base units"),
        r"base unit", (part("amount", "number", "amount value"), part("decimals", "whole", "decimals token_decimals")),
        "plain(exact({amount}) * 10 ** whole({decimals}, 0, 77))", NUMBER,
        (((1.5, 18), 1500000000000000000), ((0.1, 6), 100000), ((7, 0), 7), ((3, 6), 3000000)),
        needs="token", unless="wallet|price|fee",
        refused=((1, -1),),
    ),
    Computation(
        "from_base_unit", ("convert from base unit", "from base unit", "from base units", "convert from base units"),
        r"base unit", (part("amount", "number", "amount value"), part("decimals", "whole", "decimals token_decimals")),
        "plain(exact({amount}) / 10 ** whole({decimals}, 0, 77))", NUMBER,
        (((1500000000000000000, 18), 1.5), ((100000, 6), 0.1), ((7, 0), 7)), needs="token", unless="wallet|price|fee",
        refused=((1, -1),),
    ),
)  # fmt: skip

_BODIES = (
    Computation(
        "bmi_of_metres", _BMI, r"bmi|body mass", (_WEIGHT, part("height", "number", "height_m height_in_m height "
        "height_meters height_in_meters height_metres m")),
        "divided({weight}, above({height}) ** 2)", NUMBER, (((70, 1.75), 22.857142857142858), ((100, 2), 25)),
        needs=r"(?=.*(?:\bkg\b|kilogram))(?=.*(?:\bmet(?:er|re)s?\b|\bm\b))", refused=((70, 0),),
        unless=r"categor|classif|\bcm\b|centimet|pound|\blbs?\b|inch|imperial|\bunit|\bage\b|bsa|status|interpret",
    ),
    Computation(
        "bmi_of_centimetres", _BMI, r"bmi|body mass", (_WEIGHT, part("height", "number", "height_cm height_in_cm "
        "height height_centimeters height_in_centimeters cm")),
        "divided({weight}, (above({height}) / 100) ** 2)", NUMBER,
        (((70, 175), 22.857142857142858), ((100, 200), 25)),
        needs=r"(?=.*(?:\bkg\b|kilogram))(?=.*(?:\bcm\b|centimet))", refused=((70, 0),),
        unless=r"categor|classif|\bmet(?:er|re)s\b|\bm\b|pound|\blbs?\b|inch|imperial|\bunit|\bage\b|bsa|status|interp",
    ),
)  # fmt: skip


def _shape(name: str, names: str, says: str, inputs: tuple[Input, ...], code: str, *known: tuple[object, object],
           unless: str = "") -> Computation:  # fmt: skip
    zero = tuple(-1 for _ in inputs)
    phrases = tuple(n.replace("_", " ") for n in names.split())
    return Computation(name, phrases, says, inputs, code, NUMBER, known, unless=unless, refused=(zero,))  # type: ignore[arg-type]


_R = (part("r", "number", "radius r"),)
_WH = (part("w", "number", "width w length l a side1"), part("h", "number", "height h breadth width length b side2"))
_SHAPES = (
    _shape("circle_area", "circle_area area_circle area_of_circle", r"area", _R,
           "finite(math.pi * not_below({r}) ** 2)",
           ((1,), 3.141592653589793), ((2.5,), 19.634954084936208), ((2,), 12.566370614359172),
           unless="circumference|ring|sector"),
    _shape("circumference", "circumference circle_circumference circle_perimeter", r"circumference|perimeter", _R,
           "finite(2 * math.pi * not_below({r}))", ((1,), 6.283185307179586), ((5,), 31.41592653589793), unless="area"),
    _shape("rectangle_area", "rectangle_area area_rectangle area_of_rectangle", r"area", _WH,
           "finite(not_below({w}) * not_below({h}))", ((3, 4), 12), ((2.5, 2), 5), ((5, 6), 30), unless="perimeter"),
    _shape("rectangle_perimeter", "rectangle_perimeter perimeter_rectangle", r"perimeter", _WH,
           "finite(2 * (not_below({w}) + not_below({h})))", ((3, 4), 14), ((2.5, 2), 9), ((5, 6), 22), unless="area"),
    _shape("triangle_area", "triangle_area area_triangle area_of_triangle", r"area",
           (part("b", "number", "base b"), part("h", "number", "height h")),
           "finite(not_below({b}) * not_below({h}) / 2)", ((3, 4), 6), ((5, 5), 12.5), unless="sides|heron"),
    _shape("hypotenuse", "hypotenuse pythagorean pythagoras", r"hypotenuse",
           (part("a", "number", "a side_a leg1 x side1"), part("b", "number", "b side_b leg2 y side2")),
           "finite(math.hypot(not_below({a}), not_below({b})))",
           ((3, 4), 5), ((5, 12), 13)),
    _shape("sphere_volume", "sphere_volume volume_sphere volume_of_sphere", r"volume", _R,
           "finite(4 / 3 * math.pi * not_below({r}) ** 3)", ((1,), 4.1887902047863905), ((3,), 113.09733552923254),
           unless="surface"),
    _shape("cylinder_volume", "cylinder_volume volume_cylinder volume_of_cylinder", r"volume",
           (*_R, part("h", "number", "height h")), "finite(math.pi * not_below({r}) ** 2 * not_below({h}))",
           ((1, 2), 6.283185307179586), ((2, 5), 62.83185307179586), unless="surface"),
)  # fmt: skip

_PLACES = (
    Computation(
        "haversine", ("haversine", "haversine distance", "distance", "great circle distance", "geo distance",
                      "distance between coordinates", "distance between points"), r"distance", (
            part("lat1", "number", "lat1 latitude1 start_lat from_lat lat_a origin_lat"),
            part("lon1", "number", "lon1 longitude1 lng1 start_lon start_lng from_lon from_lng lon_a origin_lng"),
            part("lat2", "number", "lat2 latitude2 end_lat to_lat lat_b destination_lat dest_lat"),
            part("lon2", "number", "lon2 longitude2 lng2 end_lon end_lng to_lon to_lng lon_b destination_lng dest_lng"),
        ), "haversine({lat1}, {lon1}, {lat2}, {lon2})", NUMBER,
        (((0, 0, 0, 90), 10007.543398010286), ((52.52, 13.405, 48.8566, 2.3522), 877.4633259175432),
         ((10, 20, 10, 20), 0)), needs=r"(?=.*(?:haversine|great.?circle))(?=.*(?:\bkm\b|kilomet))",
        unless=r"\bmiles?\b|nautical|route|driving|\bunit", refused=((91, 0, 0, 0),),
    ),
)  # fmt: skip

_DATES = (
    Computation(
        "days_between", ("days between", "date difference", "date diff", "days between dates", "difference in days",
                         "days difference"), r"days", (_START, _END), "days_between({start}, {end})", INTEGER,
        ((("2024-02-28", "2024-03-01"), 2), (("2025-12-31", "2026-01-01"), 1), (("2026-03-02", "2026-03-02"), 0)),
        refused=(("yesterday", "2026-01-01"),),
        unless=r"business|working|weekday|inclusive|hours|weeks|months|timezone|today|calendar event",
    ),
    Computation(
        "add_days", ("add days", "date add", "add days to date", "date plus days", "add days date"), r"days",
        (part("date", "date", "date start_date base_date"), part("days", "whole", "days num_days number_of_days n")),
        "shifted({date}, {days})", TEXT, ((("2024-02-28", 2), "2024-03-01"), (("2024-03-01", -1), "2024-02-29")),
        refused=(("soon", 1),), unless="business|working|months|today if",
    ),
    Computation(
        "weekday", ("weekday", "day of week", "day of the week", "week day", "weekday of date", "date day of week"),
        r"day of (?:the )?week|weekday|which day", one("date"), "weekday({x})", TEXT,
        ((("2026-03-02",), "Monday"), (("2000-01-01",), "Saturday")), needs="[a-z]{3,} day of|name|weekday",
        unless=r"0 ?=|number|index|isoweekday|locale|timezone|business|today|current|[\u3040-\u9fff]",
        refused=(("tomorrow",),),
    ),
    Computation(
        "iso_week", ("iso week", "iso week number", "week number", "week of year"), r"week", one("date"),
        "iso_week({x})", INTEGER, ((("2026-01-01",), 1), (("2021-01-03",), 53)), needs=r"\biso(?: ?week|[ -]8601 week)",
        unless="and iso|today|current|year and", refused=(("tomorrow",),),
    ),
    Computation(
        "day_of_year", ("day of year", "day of the year", "day number"), r"day of (?:the )?year", one("date"),
        "day_of_year({x})", INTEGER, ((("2024-12-31",), 366), (("2026-03-01",), 60)), unless="today|current",
        refused=(("tomorrow",),),
    ),
    Computation(
        "days_in_month", ("days in month", "number of days in month", "month days"), r"days", (
            part("year", "whole", "year y"), part("month", "whole", "month m"),
        ), "days_in_month({year}, {month})", INTEGER, (((2024, 2), 29), ((2023, 2), 28), ((2026, 4), 30)),
        unless="business|working|lunar|hijri|0-", refused=((2024, 13),),
    ),
    Computation(
        "days_in_month_of_date", ("days in month", "number of days in month"), r"days", (
            Input("x", "date", frozenset("date day input_date date_string".split()), "now(state)"),
        ), "days_in_month_of({x})", INTEGER, ((("2024-02-10",), 29), (("2026-04-01",), 30)),
        needs=r"date", unless="business|working|lunar|hijri|year and", refused=(("soon",),),
    ),
    Computation(
        "is_leap_year", ("is leap year", "leap year", "check leap year", "leap year check"), r"leap",
        one("whole", "year"), "is_leap_year({x})", FLAG, (((2000,), True), ((1900,), False), ((2024,), True)),
        refused=((0,),), unless="next|list|chinese|hebrew|lunar",
    ),
)  # fmt: skip

COMPUTATIONS = (*_SHARES, *_BODIES, *_SHAPES, *_PLACES, *_DATES)
