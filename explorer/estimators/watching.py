"""scikit-learn's callbacks, where the installed version has them (1.9 and newer): whoever was given to
`set_callbacks` sees every step of a fit, also inside a grid search or a pipeline, and may end it.

Every step is one task below the fit; how many there will be is not known before. `fitted_estimator` of a hook
is the estimator as it would be if the fit had ended there. With an earlier version nothing is called, and
`fit_steps` gives the same steps to the caller's own loop. Cost: nothing while nobody watches.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

from explorer.engine.events import Step

Method = TypeVar("Method", bound=Callable[..., Any])

try:
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as torn_down
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing can watch."""

    def torn_down(method: Method) -> Method:
        """The method as it is."""
        return method


def with_callbacks(method: Method) -> Method:
    """The method, after which callbacks are told that the fit is over, whether it failed or not."""
    return cast("Method", torn_down(method))


def announce_steps(estimator: Any, steps: Iterator[Step], X: Any, y: Any, sample_weight: Any) -> None:
    """Take all steps, telling the estimator's callbacks of each; one that returns True ends them."""
    begin = getattr(estimator, "_init_callback_context", None)
    if begin is None:
        for _ in steps:
            pass
        return
    about = {"estimator": estimator, "X": X, "y": y, "metadata": {"sample_weight": sample_weight}}
    whole = begin(max_subtasks=None).call_on_fit_task_begin(**about)
    watched = bool(getattr(estimator, "_skl_callbacks", None))
    for step in steps:
        if watched and _tell(whole, step, about):
            break
    whole.call_on_fit_task_end(**about, reconstruction_attributes=dict)


def _tell(whole: Any, step: Step, about: dict[str, Any]) -> bool:
    """Whether somebody has seen enough at this step."""
    task = whole.subcontext(task_name="step").call_on_fit_task_begin(**about)
    return bool(task.call_on_fit_task_end(**about, reconstruction_attributes=lambda: {"weights_": step.w}))


__all__ = ["CallbackSupportMixin", "announce_steps", "with_callbacks"]
