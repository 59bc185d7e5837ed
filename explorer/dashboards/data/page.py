"""The data page: bring a file along or draw one, see what is in it, choose, train, and take the results.

First there is a place to drop a file on, with samples and drawings beside it. Then the page grows downwards:
what the file holds, what can be chosen, where to go with it, and, once something has been trained here, how
good it is, its files, and a line to type in.
"""

import io
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param

from explorer.dashboards.address import asked_theme, search
from explorer.dashboards.controls import group
from explorer.dashboards.data import words
from explorer.dashboards.data.board import DrawingBoard
from explorer.dashboards.data.drop_zone import DropZone
from explorer.dashboards.data.leaving import addresses
from explorer.dashboards.data.look import STYLE, colours
from explorer.dashboards.data.samples import SAMPLES, sample_files
from explorer.dashboards.data.visitor import VisitorMark, visitor
from explorer.dashboards.shell import Shell
from explorer.engine.refusals import Refused
from explorer.session.knobs import editable, values
from explorer.session.links import codec
from explorer.session.links.files import PREFIX, FileAsked, file_asked
from explorer.session.runner import Runner
from explorer.session.uploads.desk import Desk
from explorer.session.uploads.drawings import TYPED, file_of, sentences_file
from explorer.session.uploads.store import MOST_BYTES, Upload, Uploads
from explorer.views.kit.controls.live_html import LiveHTML
from explorer.views.kit.drawing.curve import curve
from explorer.views.kit.drawing.theme import LIGHT, THEMES
from explorer.views.kit.messages import loading
from explorer.wording import as_sentence, percent, quantity

BEAT = 150
"""Milliseconds between two looks at what workers have said."""

HERO = (
    "<h1>Bring your own data</h1><p class='muted'>Train a structural SVM on your file, and see how it "
    "learns. The file is read here, shown to nobody else, and deleted when you close these pages.</p>"
)
TYPING = "sentences"
BOARDS = {
    "points": "points of three kinds",
    "grid": "a painting",
    "likeness": "how alike things are",
    TYPING: "tags of sentences",
}
TITLE = "Drop a file here, or press to choose one"
ACCEPTS = (
    "CoNLL columns · CoNLL-U · SVMlight · SVM^hmm · CSV · GraphML · edge list · NPZ · pairs · PNG. "
    f"Up to {MOST_BYTES // 1_000_000} MB. What it is, its content says."
)
WIDE = {"sizing_mode": "stretch_width"}
BIG = {"size": "large", "margin": (6, 8, 6, 0), "sx": {"textTransform": "none", "whiteSpace": "nowrap"}}
SMALL = {"size": "small", "variant": "outlined", "margin": (4, 8, 4, 0)}


class DataPage(pn.viewable.Viewer):
    """One desk on one page."""

    theme = param.Parameter(LIGHT)

    def __init__(self, desk: Desk, say: Callable[[str], None] = lambda text: None, **params: Any) -> None:
        super().__init__(**params)
        self.desk, self.say = desk, say
        self._styled: list[Any] = []
        self._shown: Any = None
        self.mark = VisitorMark(desk.visitor)
        self.hero = self._hero()
        self.about, self.preview = self._html(), self._html()
        self.settings = pn.Column(margin=0, **WIDE)
        self.going, self.run, self.results = self._going(), self._run(), self._results()
        both = pn.FlexBox(
            pn.Column(self.preview, margin=0, styles={"flex": "1.6 1 420px", "min-width": "0"}),
            pn.Column(self.settings, margin=0, styles={"flex": "1 1 280px", "min-width": "0"}),
            margin=0,
            gap="24px",
            align_items="flex-start",
            **WIDE,
        )
        self.file = pn.Column(self.about, both, self.going, self.run, self.results, margin=0, **WIDE)
        self.body = pn.Column(
            self.hero,
            self.file,
            self.mark,
            margin=0,
            max_width=1180,
            styles={"padding": "16px 20px", "margin": "0 auto", "box-sizing": "border-box"},
            **WIDE,
        )
        self.param.watch(lambda *_: self.wear(), "theme")
        desk.param.watch(lambda *_: self.show(), ["status", "message"])
        desk.param.watch(lambda *_: self.show_run(), "tick")
        self.wear()
        self.show()

    # parts --------------------------------------------------------------------------------------------------

    def _html(self, text: str = "", **params: Any) -> Any:
        """Words of ours in the colours of the theme."""
        made = pn.pane.HTML(text, stylesheets=[STYLE], margin=0, **WIDE, **params)
        self._styled.append(made)
        return made

    def _zone(self, brought: Callable[[dict[str, bytes]], None], **params: Any) -> DropZone:
        made = DropZone(brought, margin=(4, 0), **params)
        self._styled.append(made)
        return made

    def _hero(self) -> Any:
        """The place to drop a file on, and ways to begin without one."""
        self.greeting = self._html(HERO)
        self.zone = self._zone(self.desk.bring, title=TITLE, words=ACCEPTS)
        self.samples = LiveHTML(self._sampled, stylesheets=[STYLE], margin=(4, 0), **WIDE)
        self._styled.append(self.samples)
        chips = "".join(
            f"<button class='chip' data-act='{name}'>{title}</button>" for name, title in SAMPLES.items()
        )
        self.samples.html = (
            f"<div class='chips'><span class='muted small'>Or try a sample</span>{chips}</div>"
        )
        chips = "".join(
            f"<button class='chip' data-act='{name}'>{title}</button>" for name, title in BOARDS.items()
        )
        self.drawings = LiveHTML(self._open_board, stylesheets=[STYLE], margin=(4, 0), **WIDE)
        self.drawings.html = f"<div class='chips'><span class='muted small'>Or draw one</span>{chips}</div>"
        self._styled.append(self.drawings)
        self.board = pn.Column(margin=(8, 0), **WIDE)
        return pn.Column(self.greeting, self.zone, self.samples, self.drawings, self.board, margin=0, **WIDE)

    def _open_board(self, act: str, _: bool | None) -> None:
        """Open a board to draw on, or a place to type sentences in."""
        if act == TYPING:
            area = pmui.TextAreaInput(
                label="A sentence on each line", value=TYPED, rows=5, margin=(4, 0), **WIDE
            )
            use = pmui.Button(label="Use these sentences", **SMALL)
            use.on_click(lambda _: self._drawn(TYPING, area.value))
            about = "<p class='small muted'>The tag of a word follows after a slash; others are O.</p>"
            said = self._html(about)
            said.styles = colours(self.theme)
            self.board[:] = [said, area, use]
        elif act in BOARDS:
            made = DrawingBoard(self._drawn, kind=act, styles=colours(self.theme))
            self._styled.append(made)
            self.board[:] = [made]

    def _drawn(self, kind: str, what: Any) -> None:
        """Bring a drawing along as a file."""
        try:
            files = sentences_file(str(what)[:100_000]) if kind == TYPING else file_of(kind, what)
        except Refused as refusal:
            self.say(as_sentence(str(refusal)))
            return
        self.desk.bring(files)

    def _sampled(self, act: str, _: bool | None) -> None:
        """Bring a sample along, as if it had been dropped."""
        if act in SAMPLES:
            self.desk.bring(sample_files(act))

    def _going(self) -> Any:
        """Where the file can be taken."""
        self.trainer = pmui.Button(label="Train here", icon="play_arrow", variant="contained", **BIG)
        self.trainer.on_click(lambda _: self._train())
        self.doors = {
            name: pmui.Button(label=label, icon=icon, variant="outlined", **BIG)
            for name, label, icon in (
                ("studio", "Open in the studio", "school"),
                ("race", "Race learners", "flag"),
                ("path", "Path over C", "timeline"),
                ("lab", "Oracle lab", "science"),
                ("clusters", "Clustering lab", "bubble_chart"),
            )
        }
        for name, button in self.doors.items():
            button.on_click(partial(self._leave, name))
        away = pmui.Button(label="Take the file away", icon="delete", variant="text", **BIG)
        away.on_click(lambda _: self.desk.forget())
        return pn.FlexBox(self.trainer, *self.doors.values(), away, margin=(8, 0), **WIDE)

    def _run(self) -> Any:
        self.curve, self.told = self._html(), self._html()
        self.stopper = pmui.Button(label="Stop, and use what there is", icon="stop", **SMALL)
        self.stopper.on_click(lambda _: self.desk.stop())
        return pn.Column(
            self._html("<h2>Training</h2>"), self.told, self.curve, self.stopper, margin=0, **WIDE
        )

    def _results(self) -> Any:
        """What a trained model gives."""
        self.good = self._html()
        self.zip = pmui.FileDownload(
            callback=self._model, filename="model.zip", label="Model as zip", **SMALL
        )
        self.labelled = pmui.FileDownload(
            callback=self._predictions, filename="labelled", label="Predictions in the file's format", **SMALL
        )
        self.others = self._zone(self._label_other, title="Drop another file to have it labelled", words="")
        self.other = pmui.FileDownload(
            callback=self._others, filename="labelled", label="Its labels", visible=False, **SMALL
        )
        self.other_said = self._html()
        self.typed = pmui.TextInput(
            label="Type a sentence",
            placeholder="Ada Lovelace wrote to Charles Babbage.",
            margin=(4, 0),
            **WIDE,
        )
        self.typed.param.watch(lambda event: self._tag(event.new), "value")
        self.answer = self._html()
        self.typing = pn.Column(self._html("<h2>Try it</h2>"), self.typed, self.answer, margin=(8, 0), **WIDE)
        files = pn.FlexBox(self.zip, self.labelled, margin=0, **WIDE)
        other = pn.Column(self.others, self.other_said, self.other, margin=0, max_width=560, **WIDE)
        return pn.Column(
            self._html("<h2>The trained model</h2>"), self.good, files, other, self.typing, margin=0, **WIDE
        )

    # showing ------------------------------------------------------------------------------------------------

    def wear(self) -> None:
        """Put everything into the colours of the theme."""
        for one in self._styled:
            one.styles = {**one.styles, **colours(self.theme)}
        self.show_run()

    def show(self) -> None:
        """Show where the desk stands."""
        desk = self.desk
        there = desk.upload is not None
        ready = desk.look is not None and desk.status not in ("empty", "reading", "refused")
        self.zone.words = "" if there else ACCEPTS
        self.zone.title = "Drop another file here, or press to choose one" if there else TITLE
        self.greeting.visible = not there
        self.show_run()
        self.file.visible = there or desk.status == "refused"
        self.going.visible = self.settings.visible = there and (ready or desk.look is not None)
        self.run.visible = desk.status in ("training", "finishing", "trained")
        self.results.visible = desk.status == "trained"
        self.stopper.visible = desk.status == "training"
        self._tell_file()
        if ready:
            self._offer()
        if desk.status == "trained":
            self._tell_results()

    def _tell_file(self) -> None:
        desk = self.desk
        if desk.upload is None:
            self.about.object, self.preview.object = words.refusal(desk.message) if desk.message else "", ""
            return
        form = desk.source().format.name
        about = words.title(desk.upload.name, form, desk.upload.sum, desk.why)
        if desk.status == "reading":
            about += "<p class='muted' role='status'>Reading the file…</p>"
        if desk.status == "refused":
            about += words.refusal(desk.message)
        self.about.object = about
        if desk.look is not None:
            self.preview.object = self._preview(form)
        elif desk.status == "refused":
            bad = words.bad_line(desk.message)
            first, found = desk.around(bad)
            self.preview.object = words.lines(found, first, bad)
        else:
            self.preview.object = ""

    def _preview(self, form: str) -> str:
        """What is in the file."""
        look = self.desk.look
        assert look is not None
        reading = look.sketch.few.meta.get("reading", {})
        if form == "table":
            first = words.table(look.lines, reading["label"], reading["separator"])
        elif form == "columns" and any(look.shown):
            first = words.sentences(look.shown[:4])
        else:
            first = words.lines(look.lines)
        return words.facts(look, form) + words.bars(look.labels) + first

    def _offer(self) -> None:
        """Offer what can be chosen of this file; widgets stay while it is the same."""
        desk = self.desk
        key = (desk.upload, desk.test, desk.choices.kind)
        if key == self._shown or desk.task is None:
            return
        self._shown = key
        self.record = editable(desk.task.data)(**desk.recipe().data)
        names = [name for name in self.record.param if name != "name"]
        self.record.param.watch(lambda *_: desk.choose(values(self.record)), names)
        widgets = group(self.record, "data")
        if desk.test is not None:
            for name in ("data.held_out", "data.draw"):
                widgets.pop(name, None)
        self.tests = self._zone(self._test_file, title="Drop a test file", words="", most_files=3)
        for one in (self.tests,):
            one.styles = {**one.styles, **colours(self.theme)}
        tested = (
            [] if desk.test is None else [self._html(f"<p class='small'>Tested on {desk.test.name}.</p>")]
        )
        title = self._html("<h2>What is made of it</h2>")
        for one in (title, *tested):
            one.styles = colours(self.theme)
        self.settings[:] = [title, *self._columns(), *widgets.values(), *tested, self.tests]

    def _columns(self) -> list[Any]:
        """Menus of what the file does not say itself."""
        desk, made = self.desk, []
        allowed = desk.source().format.choices
        look = desk.look
        assert look is not None
        reading = look.sketch.few.meta.get("reading", {})
        plain = {"size": "small", "margin": (4, 8), **WIDE}
        if "label" in allowed and look.columns:
            chosen = desk.choices.label or reading.get("label", "")
            menu = pmui.Select(label="Label", options=list(look.columns), value=chosen, **plain)
            menu.param.watch(lambda e: desk.choose(label=e.new), "value")
            made.append(menu)
        if "sequence" in allowed and look.columns:
            options = {"none: every line is an example": "", **{name: name for name in look.columns}}
            menu = pmui.Select(
                label="Column that tells sequences apart",
                options=options,
                value=desk.choices.sequence,
                **plain,
            )
            menu.param.watch(lambda e: desk.choose(sequence=e.new), "value")
            made.append(menu)
        if "kind" in allowed:
            kinds = desk.source().format.open().KINDS  # type: ignore[attr-defined]
            menu = pmui.Select(label="Rows are", options=list(kinds), value=reading.get("kind"), **plain)
            menu.param.watch(lambda e: desk.choose(kind=e.new), "value")
            made.append(menu)
        return made

    def _test_file(self, files: dict[str, bytes]) -> None:
        """A file to measure the loss on."""
        try:
            self.desk.bring_test(files)
        except Refused as refusal:
            self.say(f"The test file cannot be used: {refusal}.")

    def show_run(self) -> None:
        """Show how far the training is."""
        trace, desk = self.desk.trace, self.desk
        if not len(trace):
            self.curve.object = ""
            self.told.object = "<p role='status'>Beginning…</p>" if desk.status == "training" else ""
            return
        self.curve.object = f"<div class='curve'>{curve(trace, self.theme)}</div>"
        self.told.object = f"<p role='status'>{run_words(desk)}</p>"

    def _tell_results(self) -> None:
        outcome, upload = self.desk.outcome, self.desk.upload
        assert outcome is not None
        assert upload is not None
        self.good.object = words.figures(outcome)
        stem = upload.name.split(".")[0]
        self.zip.filename = f"{stem}.zip"
        self.zip.label = "Run as zip" if outcome.without else "Model as zip"
        self.labelled.visible = bool(outcome.predicted)
        if outcome.predicted:
            name = next(iter(outcome.predicted))
            self.labelled.filename = f"labelled-{name}"
        self.typing.visible = outcome.tags
        self.others.visible = not outcome.without
        self.other.visible = False

    # acting -------------------------------------------------------------------------------------------------

    def _train(self) -> None:
        if self.desk.task is not None:
            self.desk.train()
            self.answer.object = self.other_said.object = ""

    def _model(self) -> io.BytesIO:
        outcome = self.desk.outcome
        return io.BytesIO(outcome.saved if outcome else b"")

    def _predictions(self) -> io.BytesIO:
        outcome = self.desk.outcome
        return io.BytesIO(next(iter(outcome.predicted.values())) if outcome and outcome.predicted else b"")

    def _label_other(self, files: dict[str, bytes]) -> None:
        """Have another file labelled."""
        self.other_said.object = "<p class='small' role='status'>Labelling…</p>"
        self.desk.label(files, self._labelled, self._not_labelled)

    def _labelled(self, found: Any) -> None:
        name, content = next(iter(found.items()))
        self._other = content
        self.other_said.object = ""
        self.other.param.update(filename=f"labelled-{name}", label=f"Download labelled-{name}", visible=True)

    def _not_labelled(self, why: str) -> None:
        self.other.visible = False
        self.other_said.object = words.refusal(why)

    def _others(self) -> io.BytesIO:
        return io.BytesIO(self._other)

    def _tag(self, text: str) -> None:
        """Have a typed sentence tagged."""
        if text.strip():
            self.desk.tag(text[:2000], self._tagged, self._not_tagged)

    def _tagged(self, found: Any) -> None:
        self.answer.object = words.tagging(found)

    def _not_tagged(self, why: str) -> None:
        self.answer.object = words.refusal(why)

    def _leave(self, name: str, _: Any = None) -> None:
        """Go to another page with the file, when its problem is ready there."""
        button = self.doors[name]
        if self.desk.task is None:
            return
        button.loading = True
        self.desk.prepare(partial(self._go, name))

    def _go(self, name: str) -> None:
        button = self.doors[name]
        button.loading = False
        try:
            where = addresses(name, self.desk, self.theme.name)
        except Refused as refusal:
            self.say(f"{refusal}")
            return
        self.mark.address = where

    def query(self) -> str:
        """The address of this page: which file it is about."""
        desk = self.desk
        asked = {} if desk.upload is None else {"task": desk.upload.name} | file_words(desk.need())
        return codec.query({**asked, "theme": self.theme.name})

    def beat(self) -> None:
        """Take in what workers have said."""
        if not loading():
            self.desk.collect()

    def close(self) -> None:
        """End the desk."""
        self.desk.close()

    def __panel__(self) -> Any:
        return self.body


def file_words(asked: FileAsked) -> dict[str, str]:
    """What a link says of a file."""
    said = {"sum": asked.sum, "test": asked.test, "testsum": asked.testsum}
    said |= {name: getattr(asked.choices, name) for name in ("label", "sequence", "kind")}
    return {PREFIX + name: value for name, value in said.items() if value}


def run_words(desk: Desk) -> str:
    """How far a run is, in one sentence."""
    trace = desk.trace
    k = len(trace) - 1
    primal = trace.column("primal")
    known = primal[~(primal != primal)]
    told = f"Step {k}: the objective is {known[-1]:.4g}" if len(known) else f"Step {k}"
    gap = trace.column("relative_gap") if "relative_gap" in trace.names else ()
    gaps = [value for value in gap if value == value]
    if gaps:
        told += f", at most {percent(max(0.0, gaps[-1]))} above the best"
    if desk.status == "finishing":
        return f"{told}. The model is being made…"
    if trace.stops:
        return (
            f"{told}. It stopped: {trace.stops[-1][1].sentence.rstrip('.')}, after {quantity(k + 1, 'step')}."
        )
    return f"{told}…"


def shown_first(desk: Desk, uploads: Sequence[Upload]) -> None:
    """Open what the address asks for, or the file that was brought last."""
    asked = file_asked(search())
    if asked is not None:
        found = desk.store.find(desk.visitor, asked.sum)
        test = desk.store.find(desk.visitor, asked.testsum) if asked.testsum else None
        if found is not None:
            desk.open(found, test, asked.choices)
    elif uploads:
        desk.open(uploads[0])


def build(runner: Runner, store: Uploads) -> Shell:
    """The data page of a visitor."""
    token = visitor()
    desk = Desk(runner, store, token, page_name())
    page = DataPage(desk, theme=THEMES.get(asked_theme(), LIGHT))
    shell = Shell("data", sidebar=[], main=[page])
    page.say = shell.notice
    shell.wear(asked_theme())
    shell.adopt(page)
    page.mark.when_kept(lambda kept: desk.belong_to(kept))
    shown_first(desk, store.of(token))
    shell.every(BEAT, page.beat)
    shell.every(1000, lambda: shell.address.follow(page.query))
    return shell


def page_name() -> str:
    """A name for this page among those of its visitor."""
    context = pn.state.curdoc.session_context if pn.state.curdoc else None
    return context.id if context else "here"


__all__ = ["DataPage", "build"]
