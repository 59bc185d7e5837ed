"""`explorer hooks`: the two programs of SVM-python on a hook module, with their options, and its tutorial.

Options of the module itself are pairs `--name value`; they come to it as `sparm.argv`.
"""

import argparse
import shutil
import sys
from argparse import REMAINDER, ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from explorer.engine.hooks.classifying import classify
from explorer.engine.hooks.learning import WAYS, LearnerProgram
from explorer.engine.hooks.module import Hooks, load_hooks, tutorial_folder
from explorer.engine.hooks.objects import Sparm
from explorer.engine.hooks.vectors import KINDS, HookKernel
from explorer.engine.refusals import Refused

USES = """
  explorer hooks learn --m MODULE.py [options] TRAIN MODEL
  explorer hooks classify --m MODULE.py [options] TEST MODEL PREDICTIONS
  explorer hooks tutorial FOLDER         write the four stages of a classifier of two classes, and data for it
"""
LETTERS: dict[str, tuple[str, Any, str]] = {
    "-c": ("c", float, "price of the mean slack"),
    "-e": ("epsilon", float, "violation below which a cut is left out"),
    "-o": ("loss_type", int, "1: the loss scales the slack, 2: the margin"),
    "-p": ("slack_norm", int, "1: a slack costs itself, 2: half its square"),
    "-l": ("loss_function", int, "for the module's own use"),
}
KERNEL = {"-d": ("d", int), "-g": ("g", float), "-s": ("s", float), "-r": ("r", float)}


def options(command: ArgumentParser) -> None:
    """Which program, and all that it is given."""
    command.formatter_class = argparse.RawDescriptionHelpFormatter
    letters = "\n".join(f"  {letter} X   {told}" for letter, (_, _, told) in LETTERS.items())
    command.description = (
        f"{USES}\n{letters}\n  -w N   0, 1: n slacks, solved after every cut or pass; 2, 3, 4: one slack\n"
        f"  -t N   kernel: {', '.join(f'{at} {kind}' for at, kind in enumerate(KINDS))}; with -d -g -s -r\n"
        "  --name value   options of the module itself"
    )
    command.add_argument("program", choices=("learn", "classify", "tutorial"))
    command.add_argument("words", nargs=REMAINDER, help=argparse.SUPPRESS)


def run(args: Namespace, say: Callable[[str], None]) -> int:
    """Run the program that is named."""
    return {"learn": learn, "classify": predict, "tutorial": tutorial}[args.program](args.words, say)


def learn(words: Sequence[str], say: Callable[[str], None]) -> int:
    """From a file of examples to a file with a model."""
    names, given, own = read_words(words, [*LETTERS, *KERNEL, "-w", "-t"])
    if "--help" in words or len(names) != 2:
        return show_help(given, "print_help", "learn takes a file of examples and the file of the model", say)
    hooks = module_named(given)
    sparm = Sparm(argv=own, kernel=kernel_of(given))
    for letter, (name, kind, _) in LETTERS.items():
        if letter in given:
            setattr(sparm, name, number(letter, given[letter], kind))
    way = number("-w", given.get("-w", "0"), int)
    if way not in WAYS:
        raise Refused(f"there is no -w {way}; choose one of {', '.join(map(str, WAYS))}")
    found = LearnerProgram(hooks, sparm, way).run(names[0], names[1])
    calls = sum(count for call, count in hooks.log.counts.items() if call.hook != "solve")
    say(f"{len(found.sample)} examples, {len(found.steps)} steps, {calls:,} calls of hooks")
    say(f"stopped: {found.stopped.sentence}")
    say(f"model: {names[1]}")
    return 0


def predict(words: Sequence[str], say: Callable[[str], None]) -> int:
    """From a file of examples and a model to a file of predictions."""
    names, given, own = read_words(words, [])
    if "--help" in words or len(names) != 3:
        reason = "classify takes a file of examples, a model, and the file of predictions"
        return show_help(given, "print_help_classify", reason, say)
    found = classify(module_named(given), names[0], names[1], own)
    Path(names[2]).write_text(found.written, encoding="utf-8")
    unknown = len(found.predictions) - len(found.losses)
    say(
        f"{len(found.predictions)} predictions in {names[2]}"
        + (f", {unknown} without a label" if unknown else "")
    )
    if found.losses:
        say(f"average loss {found.mean_loss:.6g}")
    return 0


def tutorial(words: Sequence[str], say: Callable[[str], None]) -> int:
    """Copy the four stages and their data into a folder."""
    if len(words) != 1:
        raise Refused("tutorial takes one folder; give its name")
    folder = Path(words[0])
    folder.mkdir(parents=True, exist_ok=True)
    for source in sorted(tutorial_folder().iterdir()):
        if source.is_file():
            if (folder / source.name).exists():
                raise Refused(f"{folder / source.name} exists already; give another folder")
            shutil.copyfile(source, folder / source.name)
    say(f"{folder} has four stages; each says in its first lines how to run it. Watch one with")
    say(f"explorer serve {folder}/binary1.py:{folder}/train.dat")
    return 0


def read_words(
    words: Sequence[str], letters: Sequence[str]
) -> tuple[list[str], dict[str, str], list[tuple[str, str]]]:
    """File names, options by their letter (and --m), and the module's own options."""
    names, given, own = [], dict[str, str](), list[tuple[str, str]]()
    rest = iter(word for word in words if word != "--help")
    for word in rest:
        if not word.startswith("-"):
            names.append(word)
            continue
        value = next(rest, None)
        if value is None:
            raise Refused(f"{word} has no value; give one behind it")
        if word in ("--m", *letters):
            given[word] = value
        elif word.startswith("--"):
            own.append((word, value))
        else:
            raise Refused(f"there is no option {word}; see explorer hooks --help")
    return names, given, own


def show_help(given: dict[str, str], hook: str, reason: str, say: Callable[[str], None]) -> int:
    """What the module says of its options, where it says something; then what was wrong."""
    if "--m" in given:
        module_named(given).call_if_there(hook)
    say(USES.strip("\n"))
    sys.stderr.write(f"explorer: {reason}\n")
    return 2


def module_named(given: dict[str, str]) -> Hooks:
    """The module that --m names, with or without its ending."""
    if "--m" not in given:
        raise Refused("it is not known whose hooks to call; name their module, as in --m binary1.py")
    name = given["--m"]
    return load_hooks(Path(name if name.endswith(".py") else f"{name}.py").absolute())


def kernel_of(given: dict[str, str]) -> HookKernel:
    """The kernel that -t and its numbers name."""
    kind = number("-t", given.get("-t", "0"), int)
    if not 0 <= kind < len(KINDS):
        raise Refused(f"there is no kernel -t {kind}; choose 0 to {len(KINDS) - 1}")
    numbers = {
        name: number(letter, given[letter], of) for letter, (name, of) in KERNEL.items() if letter in given
    }
    return HookKernel(KINDS[kind], **numbers)


def number(letter: str, text: str, kind: Any) -> Any:
    """The value of an option."""
    try:
        return kind(text)
    except ValueError as error:
        raise Refused(f"{letter} is {text!r}; give a {'whole ' if kind is int else ''}number") from error
