"""The catalogue's clinical formulas: only those that a description names or states, with their published form.

Scores whose answer holds an interpretation, and equations with several variants, are left out.
"""

from __future__ import annotations

from typing import Any

from tvlab.environments.computations.computation_forms import FLAG, INTEGER, NUMBER, Computation, choice, part


def _record(*names: str, **others: dict[str, Any]) -> dict[str, Any]:
    properties = {**dict.fromkeys(names, NUMBER), **others}
    return {"type": "object", "properties": properties, "required": list(properties)}


_CREATININE = part("scr", "number", "scr serum_creatinine creatinine scr_mg_dl")
_CYSTATIN = part("scys", "number", "scys serum_cystatin_c cystatin_c cystatin")
_AGE = part("age", "whole", "age age_years")
_MALE = part("male", "flag", "male is_male")

COMPUTATIONS = (
    Computation(
        "maintenance_fluids", ("maintenance fluids", "maintenance fluid rate"), r"4-2-1",
        (part("weight", "number", "weight_kg weight"),), "maintenance_fluids({weight})", NUMBER,
        (((8,), 32), ((15,), 50), ((70,), 110)), needs=r"(?=.*4-2-1)(?=.*(?:kg|kilogram))(?=.*(?:ml/hr|ml/h\b))",
        refused=((0,),),
    ),
    Computation(
        "homa_ir", ("homa ir", "homa", "homa ir score"), r"homa", (
            part("insulin", "number", "fasting_insulin insulin"), part("glucose", "number", "fasting_glucose glucose"),
        ), "finite({insulin} * {glucose} / 405)", NUMBER, (((10, 81), 2), ((6, 135), 2), ((20, 81), 4)),
        needs=r"(?=.*mg/dl)(?=.*405)", unless="mmol",
    ),
    Computation(
        "egfr_creatinine", ("egfr epi", "egfr", "egfr ckd epi", "ckd epi"), r"epi", (_CREATININE, _AGE, _MALE),
        "egfr({scr}, {age}, {male})", NUMBER,
        (((0.9, 50, True), 104.0490129932253), ((0.7, 50, False), 105.29760114914401),
         ((1.8, 50, True), 45.289963435829016), ((0.35, 40, False), 132.42707365854494)),
        needs=r"(?=.*2021)(?=.*mg/dl)(?=.*epi\b)",
        unless="cystatin|race|stage|mmol|umol|µmol", refused=((0, 50, True),),
    ),
    Computation(
        "egfr_creatinine_cystatin", ("egfr epi cr cys", "egfr cr cys", "egfr creatinine cystatin"), r"cystatin",
        (_CREATININE, _CYSTATIN, _AGE, _MALE),
        '{{"egfr": egfr_with_cystatin({scr}, {scys}, {age}, {male}), "scr": {scr}, "scys": {scys}, "age": {age}, '
        '"male": {male}}}', _record("egfr", "scr", "scys", "age", male=FLAG),
        (((0.9, 0.8, 50, True), {"egfr": 111.04033757644632, "scr": 0.9, "scys": 0.8, "age": 50, "male": True}),
         ((0.7, 0.8, 50, False), {"egfr": 106.9318450861178, "scr": 0.7, "scys": 0.8, "age": 50, "male": False}),
         ((1.8, 1.6, 60, True), {"egfr": 42.711863521679106, "scr": 1.8, "scys": 1.6, "age": 60, "male": True})),
        needs=r"(?=.*2021)(?=.*mg/dl)(?=.*mg/l\b)(?=.*epi\b)", unless="stage|interpret", covers=True,
        refused=((0, 1, 50, True),),
    ),
    Computation(
        "child_pugh", ("child pugh score", "child pugh"), r"child-?pugh", (
            part("bilirubin", "number", "bilirubin total_bilirubin"),
            part("albumin", "number", "albumin serum_albumin"),
            part("inr", "number", "inr"), choice("ascites", "ascites", "absent slight moderate"),
            part("grade", "whole", "encephalopathy_grade encephalopathy"),
        ), "child_pugh({bilirubin}, {albumin}, {inr}, {ascites}, {grade})", INTEGER,
        (((1, 4, 1, "absent", 0), 5), ((4, 2, 3, "moderate", 4), 15), ((2.5, 3, 2, "slight", 1), 10)),
        needs=r"(?=.*mg/dl)(?=.*g/dl)(?=.*absent)(?=.*slight)", unless=r"class\b|interpret|survival|surgical",
        refused=((1, 4, 1, "absent", 7),),
    ),
    Computation(
        "mean_arterial_pressure", ("mean arterial pressure", "map"), r"mean arterial", (
            part("sbp", "whole", "sbp systolic systolic_bp"), part("dbp", "whole", "dbp diastolic diastolic_bp"),
        ), '{{"map": finite(({sbp} + 2 * {dbp}) / 3), "sbp": {sbp}, "dbp": {dbp}}}', _record("map", "sbp", "dbp"),
        (((120, 75), {"map": 90, "sbp": 120, "dbp": 75}), ((150, 90), {"map": 110, "sbp": 150, "dbp": 90})),
        needs="mmhg|mean arterial", unless="interpret|categor|cardiac output|cvp", covers=True,
    ),
    Computation(
        "corrected_sodium", ("corrected sodium", "sodium correction"), r"sodium", (
            part("sodium", "number", "measured_sodium sodium"), part("glucose", "number", "serum_glucose glucose"),
        ), '{{"katz": finite({sodium} + 0.016 * ({glucose} - 100)), '
           '"hillier": finite({sodium} + 0.024 * ({glucose} - 100))}}', _record("katz", "hillier"),
        (((130, 600), {"katz": 138, "hillier": 142}), ((135, 350), {"katz": 139, "hillier": 141})),
        needs=r"(?=.*katz)(?=.*hillier)(?=.*mg/dl)", unless="interpret|mmol", covers=True,
    ),
    Computation(
        "ideal_body_weight", ("ibw abw", "ideal body weight", "ibw"), r"ideal body weight", (
            part("weight", "number", "weight_kg actual_weight_kg weight"), part("height", "number", "height_inches"),
            _MALE,
        ), "body_weights({weight}, {height}, {male})", _record("ideal_body_weight", "adjusted_body_weight"),
        (((100, 70, True), {"ideal_body_weight": 73, "adjusted_body_weight": 83.8}),
         ((70.5, 60, False), {"ideal_body_weight": 45.5, "adjusted_body_weight": 55.5}),
         ((90, 70, True), {"ideal_body_weight": 73, "adjusted_body_weight": 79.8})),
        needs=r"(?=.*devine)(?=.*adjusted)(?=.*0\.4)", unless="interpret|bmi", covers=True,
    ),
)  # fmt: skip
