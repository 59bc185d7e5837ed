// Plays the films of a page: each is a figure of class "film" around a script element that holds it as JSON.
// No library, no network: pictures are swapped, the two bounds are drawn once, a line shows where the film stands.
"use strict"
const PACE = 420   // milliseconds that a step is shown
const SVG = "http://www.w3.org/2000/svg"
const WORDS = Object.assign({
  seen: "Given", truth: "Truth", guess: "The machine's guess", tempting: "Most tempting wrong answer",
  play: "Play", pause: "Pause", again: "Play again", back: "One step back", forward: "One step forward",
  step: "Step", of: "of", nothing: "No wrong answer is tempting any more.",
  strip: "The two bounds close on each other: above the objective, below what is proved",
}, window.FILM_WORDS || {})

const make = (name, look = "", text = "") => {
  const made = document.createElement(name)
  if (look) made.className = look
  if (text) made.textContent = text
  return made
}
const draw = (name, set) => {
  const made = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(set)) made.setAttribute(key, value)
  return made
}

// The bounds as two lines over the steps, the upper one cut where it begins far above the rest.
function strip(steps) {
  const all = draw("svg", { viewBox: "0 0 600 64", preserveAspectRatio: "none", class: "strip", "aria-hidden": "true" })
  const known = steps.flatMap((s) => [s.primal, s.dual]).filter((v) => v !== null)
  if (!known.length) return all
  const last = steps[steps.length - 1]
  const top = Math.min(Math.max(...known), 3 * Math.max(last.primal ?? known[0], 1e-300))
  const low = Math.max(Math.min(0, ...known), Math.min(...known))
  const x = (k) => (steps.length < 2 ? 300 : (600 * k) / (steps.length - 1))
  const y = (v) => 60 - (56 * (Math.min(Math.max(v, low), top) - low)) / (top - low || 1)
  const points = (name) => steps.flatMap((s, k) => (s[name] === null ? [] : [`${x(k)},${y(s[name])}`]))
  let best = Infinity
  const upper = steps.flatMap((s, k) => {
    best = Math.min(best, s.primal ?? Infinity)
    return best === Infinity ? [] : [`${x(k)},${y(best)}`]
  })
  const lower = points("dual")
  if (upper.length && lower.length) {
    all.append(draw("polygon", { points: [...upper, ...lower.slice().reverse()].join(" "), class: "between" }))
  }
  if (upper.length) all.append(draw("polyline", { points: upper.join(" "), class: "upper" }))
  if (lower.length) all.append(draw("polyline", { points: lower.join(" "), class: "lower" }))
  return all
}

class Film {
  constructor(figure) {
    this.figure = figure
    this.film = JSON.parse(figure.querySelector("script").textContent)
    this.at = 0
    this.timer = null
    this.begun = false
    this.build()
    this.show(0)
    document.addEventListener("visibilitychange", () => { if (document.hidden) this.pause() })
  }

  row(name, picture) {
    const row = make("div", `row ${name}`), shown = make("div", "picture")
    row.append(make("div", "role", WORDS[name]), shown)
    if (picture !== undefined) this.put(shown, picture)
    this.rows.append(row)
    return shown
  }

  // Rows are drawn larger than life; panels share the width anyway.
  put(place, picture) {
    place.innerHTML = picture
    const drawn = place.firstElementChild
    if (!this.figure.classList.contains("panels")) {
      drawn.style.width = `${1.5 * drawn.viewBox.baseVal.width}px`
    }
  }

  build() {
    const { film, figure } = this
    this.rows = make("div", "rows")
    if (film.seen) this.row("seen", film.seen)
    this.row("truth", film.pictures[film.truth])
    this.guess = this.row("guess")
    this.tempting = this.row("tempting")
    this.words = make("p", "words")
    this.words.setAttribute("aria-live", "polite")
    this.button = make("button", "play")
    this.button.type = "button"
    this.button.addEventListener("click", () => this.toggle())
    this.slider = make("input", "at")
    Object.assign(this.slider, { type: "range", min: 0, max: film.steps.length - 1, step: 1, value: 0 })
    this.slider.setAttribute("aria-label", WORDS.strip)
    this.slider.addEventListener("input", () => { this.pause(); this.show(Number(this.slider.value)) })
    this.line = make("div", "cursor")
    this.count = make("span", "count")
    const lane = make("div", "lane"), bar = make("div", "bar")
    lane.append(strip(film.steps), this.line, this.slider)
    bar.append(this.button, lane, this.count)
    figure.append(this.rows, this.words, bar)
    figure.tabIndex = -1
    figure.addEventListener("keydown", (event) => this.key(event))
  }

  key(event) {
    if (event.target === this.slider || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === "ArrowRight") this.step(1)
    else if (event.key === "ArrowLeft") this.step(-1)
    else if (event.key === " " && event.target !== this.button) this.toggle()
    else return
    event.preventDefault()
  }

  step(by) {
    this.pause()
    this.show(Math.min(Math.max(this.at + by, 0), this.film.steps.length - 1))
  }

  show(at) {
    const { film } = this, step = film.steps[at]
    this.at = at
    const put = (place, number) => {
      const picture = number === null ? "" : film.pictures[number]
      if (place.dataset.number === String(number)) return
      place.dataset.number = String(number)
      if (picture) this.put(place, picture)
      else place.replaceChildren(make("span", "none", WORDS.nothing))
      place.classList.remove("new")
      void place.offsetWidth  // so that the change is eased in again
      place.classList.add("new")
    }
    put(this.guess, step.guess)
    put(this.tempting, step.tempting)
    this.figure.classList.toggle("right", step.right)
    this.words.textContent = step.words
    this.slider.value = at
    this.slider.setAttribute("aria-valuetext", `${WORDS.step} ${step.k}`)
    this.line.style.left = `${film.steps.length < 2 ? 50 : (100 * at) / (film.steps.length - 1)}%`
    this.count.textContent = `${WORDS.step} ${step.k} ${WORDS.of} ${film.steps[film.steps.length - 1].k}`
    this.name()
    this.figure.dispatchEvent(new CustomEvent("film", { detail: { at: step.k, right: step.right }, bubbles: true }))
  }

  name() {
    const over = this.at === this.film.steps.length - 1
    const label = this.timer ? WORDS.pause : over ? WORDS.again : WORDS.play
    this.button.setAttribute("aria-label", label)
    this.button.title = label
    this.button.textContent = this.timer ? "❚❚" : "▶"
    this.figure.classList.toggle("playing", Boolean(this.timer))
  }

  toggle() { if (this.timer) this.pause(); else this.play() }

  play() {
    if (this.at === this.film.steps.length - 1) this.show(0)
    this.timer = setInterval(() => {
      if (this.at >= this.film.steps.length - 1) this.pause()
      else this.show(this.at + 1)
    }, PACE)
    this.name()
  }

  pause() {
    clearInterval(this.timer)
    this.timer = null
    this.name()
  }
}

for (const figure of document.querySelectorAll("figure.film")) figure.player = new Film(figure)
