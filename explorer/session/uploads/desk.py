"""What a visitor does with a file of hers: bring it along, look at it, choose, train, and take the results.

    bring -> reading -> ready -> training -> finishing -> trained;  whatever is refused leads back, with why

All work is done by workers; the desk only says what is to be done and keeps what came back. A file, its test
file and what was chosen of them make a task like any other, so what is trained here is what the command line
and the studio train under the same recipe.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

import param

from explorer.engine.catalogue.files import AS_IT_IS, DataFile, sketched_task
from explorer.engine.catalogue.formats.format import FileChoices
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.task import Task
from explorer.engine.contracts import Dataset, Problem
from explorer.engine.events import Stopped
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.session.choices import limit
from explorer.session.jobs import Keyframe
from explorer.session.links.files import SHOWN, FileAsked
from explorer.session.problem_cache import keep_problem, ready_problem
from explorer.session.runner import Runner
from explorer.session.training import Training
from explorer.session.uploads import errands
from explorer.session.uploads.bundles import bundles
from explorer.session.uploads.errand import Errand
from explorer.session.uploads.store import Upload, Uploads

AROUND = 3
"""Lines that are shown before and after one that is wrong."""

STATUS = ("empty", "reading", "refused", "ready", "training", "finishing", "trained")


class Desk(param.Parameterized):
    """One visitor's desk on one page."""

    status: Any = param.Selector(objects=list(STATUS), default="empty")
    message: Any = param.String("", doc="What is wrong, in one sentence.")
    tick: Any = param.Integer(0, doc="Rises when there is something new to show of the training.")
    answered: Any = param.Integer(0, doc="Rises when another errand has brought something.")

    def __init__(self, runner: Runner, store: Uploads, visitor: str, page: str) -> None:
        super().__init__()
        self.runner, self.store, self.visitor, self.page = runner, store, visitor, page
        self.upload: Upload | None = None
        self.test: Upload | None = None
        self.choices = FileChoices()
        self.data: dict[str, Any] = {}
        self.task: Task | None = None
        self.look: errands.FileLook | None = None
        self.outcome: errands.Results | None = None
        self.trace, self.training = Trace(), Training(runner)
        self.waiting: dict[str, Errand] = {}
        self.why = ""
        store.hold(visitor, page)

    # bringing -----------------------------------------------------------------------------------------------

    def bring(self, files: Mapping[str, bytes]) -> None:
        """Take in the files that were dropped together: one, with what belongs to it, and perhaps one to test
        on.
        """
        try:
            found = bundles(files)
            kept = [self.store.put(self.visitor, one.files, one.first) for one in found]
        except Refused as refusal:
            self._put_away()
            self.upload = self.test = self.look = self.task = None
            self._refuse(str(refusal))
            return
        self.why = found[0].why
        self.open(kept[0], kept[1] if len(kept) > 1 else None)

    def open(self, upload: Upload, test: Upload | None = None, choices: FileChoices = AS_IT_IS) -> None:
        """Look at a file that is here."""
        self._put_away()
        self.upload, self.test, self.choices, self.data, self.look, self.task = (
            upload, test, choices, {}, None, None
        )  # fmt: skip
        self.read()

    def bring_test(self, files: Mapping[str, bytes]) -> None:
        """Take in a file to measure the loss on; refused where it is of another format."""
        one = bundles(files)[0]
        if self.upload is None or one.format != self.source().format.name:
            raise Refused(f"{one.first} is of another format; give a test file like the one that is here")
        self.test_on(self.store.put(self.visitor, one.files, one.first))

    def around(self, line: int) -> tuple[int, tuple[str, ...]]:
        """The lines around one of the file that is here, and the number of the first of them."""
        if self.upload is None or not line:
            return 1, ()
        first = max(1, line - AROUND)
        with self.upload.path.open("rb") as opened:
            found = [text[:400] for text in islice(opened, first - 1, line + AROUND)]
        if any(b"\0" in text for text in found):
            return 1, ()
        return first, tuple(text.decode("utf-8", errors="replace").rstrip("\r\n")[:160] for text in found)

    def belong_to(self, visitor: str) -> None:
        """The browser was known by another token already: what was brought here goes with that."""
        if visitor != self.visitor and not self.store.of(self.visitor):
            self.store.hold(visitor, self.page)
            self.store.release(self.visitor, self.page)
            self.visitor = visitor

    def test_on(self, upload: Upload | None) -> None:
        """Measure the loss on another file; None: on a share of the same."""
        self.test = upload
        self.data = {**self.data, "held_out": 0.0} if upload else self.data
        self.read()

    def choose(self, data: Mapping[str, Any] | None = None, **choices: str) -> None:
        """Choose settings of the data, or what the file does not say itself."""
        before = (self.data, self.choices)
        self.data = self.data if data is None else dict(data)
        self.choices = replace(self.choices, **choices)
        if before != (self.data, self.choices):
            self.read()

    def read(self) -> None:
        """Have the file read with the choices as they are."""
        self._put_away()
        self.param.update(status="reading", message="")
        self._send("look", self._seen, self._refuse, errands.look, self.source(), self.data)

    def source(self) -> DataFile:
        """Where the data are."""
        assert self.upload is not None
        test = None if self.test is None else self.test.path
        named = "" if self.test is None else self.test.name
        return DataFile(self.upload.path, self.upload.name, test, self.choices, named)

    def need(self) -> FileAsked:
        """What a link says of this file."""
        assert self.upload is not None
        test = ("", "") if self.test is None else (self.test.name, self.test.sum[:SHOWN])
        return FileAsked(self.upload.name, self.upload.sum[:SHOWN], *test, self.choices)

    def _seen(self, look: errands.FileLook) -> None:
        self.look, self.task = look, sketched_task(self.source(), look.sketch)
        self.store.keep_task(self.visitor, self.need().key, self.task)
        self.param.update(status="ready", message="")

    def recipe(self) -> Recipe:
        """The recipe of the file as it is chosen: the defaults of its task, as on the command line."""
        assert self.task is not None
        return Recipe(self.task, data=self.data)

    def forget(self) -> None:
        """Take the file away."""
        self._put_away()
        for upload in filter(None, (self.upload, self.test)):
            self.store.remove(self.visitor, upload)
        self.upload = self.test = self.look = self.task = None
        self.param.update(status="empty", message="")

    # training -----------------------------------------------------------------------------------------------

    def train(self) -> None:
        """Train with what suits the file."""
        self._put_away()
        recipe = self.recipe()
        self.training.open(replace(recipe, rule=limit(recipe.rule)))
        self.training.order("play", 0.0)
        self.param.update(status="training", message="", tick=self.tick + 1)

    def stop(self) -> None:
        """Stop after the step under way, and make a model of what there is."""
        if self.status == "training" and len(self.trace):
            self._finish()

    def collect(self) -> None:
        """Take in what workers have said."""
        for errand in list(self.waiting.values()):
            errand.collect()
        self.waiting = {name: one for name, one in self.waiting.items() if not one.over}
        events = self.training.collect()
        for event in events:
            if isinstance(event, Keyframe):
                self._take_keyframe(event)
            else:
                self.trace.append(event)
        if events:
            self.tick += 1
        if self.status == "training" and events and isinstance(events[-1], Stopped):
            self._ended(events[-1])

    def _ended(self, last: Stopped) -> None:
        if len(self.trace):
            self._finish()
        else:
            self._refuse(last.sentence)

    def _finish(self) -> None:
        """Ask for the keyframe, from which the run goes on; the model is made when it is there."""
        self.status = "finishing"
        self.training.order("pause")
        self.training.order("keyframe")

    def _take_keyframe(self, event: Keyframe) -> None:
        if event.steps == len(self.trace) and not self.trace.resumable:
            self.trace.states.put(event.steps - 1, event.state)
        if self.status == "finishing" and self.upload is not None and self.training.recipe is not None:
            args = (errands.finish, self.training.recipe, self.trace, self.upload.path)
            self._send("finish", self._finished, self._refuse, *args)

    def _finished(self, outcome: errands.Results) -> None:
        self.outcome = outcome
        self.status = "trained"

    # with the model -----------------------------------------------------------------------------------------

    def tag(self, text: str, done: Callable[[Any], object], failed: Callable[[str], object]) -> None:
        """Have a sentence tagged by the trained model."""
        if self.outcome is not None:
            self._send("tag", done, failed, errands.tag, self.outcome.saved, text)

    def label(
        self, files: Mapping[str, bytes], done: Callable[[Any], object], failed: Callable[[str], object]
    ) -> None:
        """Have another file labelled by the trained model."""
        if self.outcome is None:
            return
        try:
            one = bundles(files, alone=True)[0]
        except Refused as refusal:
            failed(str(refusal))
            return
        self._send("label", done, failed, errands.label, self.outcome.saved, one.files, one.first)

    def prepare(self, done: Callable[[], object], recipe: Recipe | None = None) -> None:
        """Have the problem ready for the pages that show it."""
        recipe = recipe or self.recipe()
        if ready_problem(recipe) is not None:
            done()
            return

        def arrived(made: tuple[Problem, Dataset | None]) -> None:
            keep_problem(recipe, made)
            done()

        self._send("problem", arrived, self._refuse, errands.problem, recipe)

    def _send(
        self, name: str, done: Callable[[Any], object], failed: Callable[[str], object], *work: Any
    ) -> None:
        """Send an errand; an earlier one of the same name is no longer waited for."""
        if name in self.waiting:
            self.waiting[name].close()
        act, *args = work

        def told(answer: Callable[[Any], object]) -> Callable[[Any], None]:
            def tell(value: Any) -> None:
                answer(value)
                self.answered += 1

            return tell

        self.waiting[name] = Errand(self.runner, told(done), told(failed), act, *args)

    def _refuse(self, why: str) -> None:
        self.param.update(status="refused", message=why)

    def _put_away(self) -> None:
        """End what is under way, and forget the run."""
        for errand in self.waiting.values():
            errand.close()
        self.waiting = {}
        self.training.close()
        self.trace, self.outcome = Trace(), None

    def close(self) -> None:
        """The page has ended: end what is under way, and let go of the files if no other page holds them."""
        self._put_away()
        self.store.release(self.visitor, self.page)


__all__ = ["STATUS", "Desk"]
