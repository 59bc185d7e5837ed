"""Follow me: who follows sees the leader's run, step, example and view, until they leave."""

from collections.abc import Iterator

import pytest

from explorer.dashboards.studio import link
from explorer.dashboards.studio.classroom import ROOMS
from explorer.dashboards.studio.page import Studio
from explorer.engine.catalogue.recipe import Recipe
from explorer.session.shared_runs import shared_run
from explorer.session.state import Session

pytestmark = pytest.mark.filterwarnings("ignore:Both .variant. and .button_style.:PendingDeprecationWarning")
SMALL = Recipe("circle", settings={"C": 10.0})


def studio(address: str = "", recipe: Recipe = SMALL) -> Studio:
    """A studio of a finished run, opened with an address."""
    session = Session(recipe)
    session.replay(shared_run(recipe))
    return Studio(link.read(address, first=recipe), session=session)


@pytest.fixture
def teacher() -> Iterator[Studio]:
    made = studio()
    yield made
    made.shell.close()


@pytest.fixture
def student(teacher: Studio) -> Iterator[Studio]:
    code = teacher.class_link().partition("follow=")[2]
    made = studio(f"follow={code}", Recipe("four-points"))
    yield made
    made.shell.close()


def test_a_student_sees_what_the_teacher_looks_at(teacher: Studio, student: Studio) -> None:
    student.classroom.beat()
    assert student.session.trace is teacher.session.trace
    assert student.session.recipe().key() == teacher.session.recipe().key()
    teacher.session.seek(1)
    teacher.session.example = 4
    teacher._bring("weights")
    teacher.classroom.beat()
    student.classroom.beat()
    assert (student.session.cursor, student.session.example) == (1, 4)
    assert student.stage.front.name_key == "weights"


def test_a_student_who_trains_on_leaves_the_teachers_run_as_it_is(teacher: Studio, student: Studio) -> None:
    student.classroom.beat()
    length = len(teacher.session.trace)
    student.session.choices.settings.C = 20.0
    assert student.session.trace is not teacher.session.trace
    assert len(teacher.session.trace) == length
    teacher.session.seek(0)
    teacher.classroom.beat()
    student.classroom.beat()
    assert student.session.trace is teacher.session.trace
    assert student.session.recipe().key() == teacher.session.recipe().key()


def test_the_lines_say_who_leads_and_how_many_follow_and_one_can_leave(
    teacher: Studio, student: Studio
) -> None:
    teacher.classroom.beat()
    assert "1 follow" in teacher.classroom.words.object
    assert "You follow the class" in student.classroom.words.object
    student.classroom.part()
    teacher.session.seek(1)
    teacher.classroom.beat()
    student.classroom.beat()
    assert student.session.cursor == 0 or student.session.trace is not teacher.session.trace
    assert not student.classroom.line.visible
    assert "0 follow" in teacher.classroom.words.object


def test_a_reload_keeps_both_roles_and_a_copied_link_does_not_lead(teacher: Studio, student: Studio) -> None:
    mine = teacher.query(**teacher.classroom.parts)
    again = studio(mine)
    assert again.classroom.leads is teacher.classroom.leads
    again.shell.close()
    assert "lead=" not in teacher.query()
    theirs = studio(student.query(**student.classroom.parts))
    assert theirs.classroom.follows is teacher.classroom.leads
    theirs.shell.close()
    assert theirs.classroom not in ROOMS.find(teacher.classroom.parts["lead"].partition(".")[0]).followers


def test_a_code_that_nobody_leads_is_said_and_the_page_opens() -> None:
    made = studio("follow=NOBODY")
    assert "no class with this code" in made.shell.notices[0].object
    made.shell.close()
