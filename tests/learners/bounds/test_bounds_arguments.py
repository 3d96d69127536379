"""Mistake bounds name the argument that is out of its limits."""

import math

import pytest
from bound_forms import FORMS, OF_ALPHA, OF_MARGIN

from learners import BiasedL2, StrategicMaxMargin, Truth, UnknownCostL2, UnknownMarginL2, bounds
from learners.bounds import (
    correction,
    freund_schapire,
    generalisation,
    hinge_slack,
    margin_perceptron,
    novikoff,
    novikoff_with_bias,
    samples_for_error,
    strategic_l1,
    strategic_l1_with_bias,
    strategic_l1_with_bias_scale_free,
    strategic_l2,
)


class TestBadArguments:
    @pytest.mark.parametrize("name", ["radius", "margin", "alpha"])
    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -1.0])
    def test_separators_through_the_origin(self, name, value):
        arguments = {"radius": 1.0, "margin": 0.5, "alpha": 0.3, name: value}
        with pytest.raises(ValueError, match=f"{name} must be .*, got {value}"):
            strategic_l2(**arguments)
        with pytest.raises(ValueError, match=f"{name} must be .*, got {value}"):
            strategic_l1(**arguments, dim=2)
        if name != "alpha":
            del arguments["alpha"]
            with pytest.raises(ValueError, match=f"{name} must be .*, got {value}"):
                novikoff(**arguments)

        for bound in OF_ALPHA:
            with pytest.raises(ValueError, match=f"{name} must be .*, got {value}"):
                bound(**{"radius": 1.0, "margin": 0.5, "alpha": 0.3, name: value})
        for bound in OF_MARGIN if name != "alpha" else ():
            with pytest.raises(ValueError, match=f"{name} must be .*, got {value}"):
                bound(**{"radius": 1.0, "margin": 0.5, name: value})

    @pytest.mark.parametrize(
        "bound, arguments, message",
        [
            (margin_perceptron, (1.0, 0.5, -1.0), "threshold must be at least 0.0, got -1.0"),
            (margin_perceptron, (1.0, 0.5, 1.0, 0.0), "learning_rate must be greater than 0.0, got 0.0"),
            (freund_schapire, (0.0, 0.5, 1.0), "radius must be greater than 0.0, got 0.0"),
            (freund_schapire, (1.0, 0.5, -1.0), "slack must be at least 0.0, got -1.0"),
            (freund_schapire, (1.0, 2.5, 1.0), "slack must be at least margin - radius = 2.5 - 1.0, got 1.0"),
            (hinge_slack, ([1.0], [[1.0]], [1], 0.0), "margin must be greater than 0.0, got 0.0"),
            (hinge_slack, ([0.0], [[1.0]], [1], 1.0), "weights must not be all zero"),
            (generalisation, (1.0, 0.5, -1), "samples must be at least 0, got -1"),
            (samples_for_error, (1.0, 0.5, 0.0), "error must be greater than 0.0, got 0.0"),
            (samples_for_error, (1.0, 0.5, 1.5), "error must be at most 1.0, got 1.5"),
            (samples_for_error, (1e200, 1.0, 0.5), "must lie within the float64 range, got radius 1e"),
        ],
    )
    def test_bounds_of_the_lecture(self, bound, arguments, message):
        with pytest.raises(ValueError, match=message):
            bound(*arguments)

    @pytest.mark.parametrize("name", ["radius", "margin"])
    def test_zero(self, name):
        with pytest.raises(ValueError, match=f"{name} must be greater than 0.0, got 0.0"):
            novikoff(**{"radius": 1.0, "margin": 0.5, name: 0.0})

    def test_margin_above_the_radius(self):
        lecture = (lambda r, m, a: margin_perceptron(r, m, 1.0), lambda r, m, a: generalisation(r, m, 9))
        for bound in (*FORMS, *lecture, lambda r, m, a: strategic_l1(r, m, a, 2)):
            with pytest.raises(ValueError, match="margin must be at most the radius 1.0, .*got 1.5"):
                bound(1.0, 1.5, 0.3)
        assert novikoff(1.0, 1.0 + 1e-15) == 1.0  # rounded

    @pytest.mark.parametrize("name", ["radius", "weights_norm", "bias", "alpha"])
    @pytest.mark.parametrize("value", [math.nan, math.inf])
    def test_separators_with_bias(self, name, value):
        arguments = {"radius": 1.0, "weights_norm": 2.0, "bias": -0.5, "alpha": 0.3}
        arguments[name] = value
        with pytest.raises(ValueError, match=f"{name} must be finite, got {value}"):
            strategic_l1_with_bias(**arguments, dim=2)
        with pytest.raises(ValueError, match=f"{name} must be finite, got {value}"):
            strategic_l1_with_bias_scale_free(**arguments)
        if name != "alpha":
            del arguments["alpha"]
            with pytest.raises(ValueError, match=f"{name} must be finite, got {value}"):
                novikoff_with_bias(**arguments)

    def test_separator_that_no_point_can_satisfy(self):
        with pytest.raises(ValueError, match=r"radius \* weights_norm \+ \|bias\| >= 1, got 1.0 \* 0.5 \+ 0.2 = 0.7"):
            novikoff_with_bias(1.0, 0.5, -0.2)
        with pytest.raises(ValueError, match="weights_norm must be at least 0.0, got -1.0"):
            novikoff_with_bias(1.0, -1.0, 3.0)

    def test_dimension(self):
        with pytest.raises(ValueError, match="dim must be at least 1, got 0"):
            strategic_l1(1.0, 0.5, 0.3, dim=0)
        with pytest.raises(TypeError, match="dim must be an integer, got 2.0"):
            strategic_l1_with_bias(1.0, 0.3, 2.0, 2.0, 0.1)

    def test_kinds(self):
        with pytest.raises(TypeError, match="radius must be a number, got '1'"):
            novikoff("1", 0.5)
        with pytest.raises(TypeError, match="margin must be a number, got True"):
            novikoff(1.0, True)
        with pytest.raises(TypeError, match="samples must be an integer, got 9.0"):
            generalisation(1.0, 0.5, 9.0)

    @pytest.mark.parametrize("name", ["radius", "alpha_j"])
    def test_correction(self, name):
        with pytest.raises(ValueError, match=f"{name} must be at least 0.0, got -0.5"):
            correction(**{"radius": 1.0, "alpha_j": 1.0, name: -0.5})


def test_learners_for_one_cost_show_no_bound_where_individuals_differ() -> None:
    same = Truth("l2", 2, 1.0, 0.4, 0.0, (0.8,), False)
    differing = same._replace(alpha_min=(0.0,))
    for learner in (UnknownCostL2(1.0, 0.4), UnknownMarginL2(1.0), BiasedL2(0.8, 1.0, 0.4), StrategicMaxMargin(0.8)):
        assert learner.bound(same) is not None, learner
        assert learner.bound(differing) is None, learner


def test_counts_beyond_float64_are_refused() -> None:
    for call in (
        lambda: bounds.generalisation(1.0, 0.5, 10**400),
        lambda: bounds.strategic_l1(1.0, 0.5, 0.1, 10**400, printed=True),
        lambda: bounds.admits(3.0, 10**400),
    ):
        with pytest.raises(ValueError, match="must be at most 9007199254740992"):
            call()
