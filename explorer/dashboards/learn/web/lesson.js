// A lesson: the section in the middle of the window sets the figure; questions reveal; exercises look at the live page.
"use strict"
const stage = document.querySelector(".stage")
const figures = [...stage.querySelectorAll("figure.film")]
const sections = [...document.querySelectorAll("section[data-figure]")]
const live = stage.querySelector(".live"), frame = stage.querySelector(".frame"), away = stage.querySelector(".away")
const kept = "explorer-lesson-" + document.body.dataset.lesson
const read = () => { try { return JSON.parse(localStorage.getItem(kept)) || {} } catch { return {} } }
const keep = (change) => { try { localStorage.setItem(kept, JSON.stringify({ ...read(), ...change })) } catch { /* private mode */ } }
let shown = null, iframe = null

function enter(section) {
  if (section === shown) return
  shown = section
  for (const other of sections) other.classList.toggle("here", other === section)
  const number = Number(section.dataset.figure)
  figures.forEach((figure, k) => {
    figure.hidden = k !== number
    if (k !== number) figure.player.pause()
  })
  const player = figures[number].player
  const wanted = player.film.steps.findIndex((one) => one.k >= Number(section.dataset.step))
  player.pause()
  player.show(wanted < 0 ? player.film.steps.length - 1 : wanted)
  away.href = "../studio?" + section.dataset.query
  if (iframe) iframe.src = away.href
}

// The section whose heading was passed last is read now.
function follow() {
  const line = window.innerHeight * 0.45
  const passed = sections.filter((section) => section.getBoundingClientRect().top < line)
  enter(passed[passed.length - 1] || sections[0])
  const whole = document.documentElement.scrollHeight - window.innerHeight
  if (whole - window.scrollY < 60) keep({ read: true })
}
window.addEventListener("scroll", follow, { passive: true })
window.addEventListener("resize", follow)
follow()

live.addEventListener("click", () => {
  if (iframe) {
    iframe.remove()
    iframe = null
  } else {
    iframe = document.createElement("iframe")
    iframe.title = live.dataset.title
    iframe.src = away.href
    frame.append(iframe)
  }
  stage.classList.toggle("on", Boolean(iframe))
  live.textContent = iframe ? live.dataset.film : live.dataset.live
  live.setAttribute("aria-pressed", String(Boolean(iframe)))
})

for (const question of document.querySelectorAll(".question")) {
  const number = question.dataset.number
  const answer = (choice) => {
    for (const one of question.querySelectorAll("button")) one.classList.toggle("chosen", one === choice)
    const right = choice.dataset.right === "yes"
    choice.classList.add(right ? "right" : "wrong")
    question.querySelector(".said").textContent = (right ? "✓ " : "✗ ") + choice.dataset.said
    keep({ ["q" + number]: choice.textContent })
  }
  for (const choice of question.querySelectorAll("button")) {
    choice.addEventListener("click", () => answer(choice))
    if (read()["q" + number] === choice.textContent) answer(choice)
  }
}

const HOLDS = {
  ">=": (a, b) => Number(a) >= Number(b), "<=": (a, b) => Number(a) <= Number(b),
  ">": (a, b) => Number(a) > Number(b), "<": (a, b) => Number(a) < Number(b),
  "=": (a, b) => a === b, "!=": (a, b) => a !== null && a !== b,
}
const settle = (exercise) => {
  exercise.classList.add("finished")
  exercise.querySelector(".said").textContent = "✓ " + exercise.dataset.done
}
setInterval(() => {
  if (!iframe || document.hidden) return
  let query
  try { query = new URLSearchParams(iframe.contentWindow.location.search) } catch { return }
  for (const exercise of document.querySelectorAll(".exercise:not(.finished)")) {
    if (exercise.closest("section") !== shown) continue
    const checks = JSON.parse(exercise.dataset.checks)
    if (checks.every(([name, how, value]) => query.has(name) && HOLDS[how](query.get(name), value))) {
      settle(exercise)
      keep({ ["x" + exercise.dataset.number]: true })
    }
  }
}, 400)
for (const exercise of document.querySelectorAll(".exercise")) if (read()["x" + exercise.dataset.number]) settle(exercise)
