// Draws the figures at a slider's stop while it is dragged. Everything drawn was computed by the server: this file looks
// up the numbers of a stop and places them; it computes no measure.
//
// A payload contains one slider's stops: a header of JSON, then float32 numbers. The page's own state comes as JSON with
// every run. While the slider's value differs from the page's, canvases over the Plotly figures show the slider's stop.

const SYMBOLS = {} // paths of Plotly's markers at size 20, by name: they come with every payload
const EDGES = { "1,0": "triangle-right", "-1,0": "triangle-left", "0,1": "triangle-up", "0,-1": "triangle-down",
  "1,1": "triangle-ne", "1,-1": "triangle-se", "-1,1": "triangle-nw", "-1,-1": "triangle-sw" }
const DASHES = { solid: [], dash: [9, 9], dot: [3, 3], dashdot: [9, 3, 3, 3], longdash: [15, 15], longdashdot: [15, 6, 3, 6] }
const ZOOM = 160 // milliseconds from the axes of a stop to the axes of all stops
const QUIET = 50 // milliseconds without a change after which Plotly's drawing is complete
const REST = 120 // milliseconds without a new stop after which the cards out of view are drawn too
const PATIENCE = 3000
const PLAYING = "Moves this slider to and fro. Space on the slider does the same."
const WAITING = "Plays once its figures are computed. Press again to cancel."
const NARROW = 455 // pixels: in a narrower figure style.css hides the pairs of a strip
const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches
const main = () => document.querySelector('[data-testid="stMain"]')
/** The element of a key. While a run replaces one, Streamlit keeps the old one beside the new: the new is meant. */
function place(key) {
  const found = [...document.querySelectorAll(`.stApp .st-key-${CSS.escape(key)}`)].filter((one) => one.getClientRects().length)
  return found.find((one) => one.dataset.stale !== "true") || found[0] || null
}
/** Whether an element found before is still its chart's own, without a look at the page's layout. */
const standing = (box, key) => box && box.isConnected && (box.dataset.stale !== "true" || document.getElementsByClassName(`st-key-${key}`).length < 2)
const track = (own) => own.closest('[data-orientation][style*="relative"]')
const input = (slider) => document.querySelector(`.stApp .st-key-${CSS.escape(slider)} :is(input[type=range], input[role=combobox])`)
/** What a select box reads: while its list is open the option under the pointer, or the one that the keys have reached. */
function option(own, present) {
  if (own.getAttribute("aria-expanded") !== "true") return own.value
  const [list, reached] = ["aria-controls", "aria-activedescendant"].map((name) => document.getElementById(own.getAttribute(name)))
  const found = (list && list.querySelector("[data-hovered]")) || reached
  return found ? found.textContent : present
}
const sign = (value) => String(value).replace("-", "−")
const plain = (text) => {
  const held = document.createElement("template") // its content is neither loaded nor run
  held.innerHTML = text
  return held.content.textContent
}
const styleOf = (text) => (text.startsWith("<i>") ? "italic" : text.startsWith("<b>") ? "bold" : "")
const paths = {}
const symbol = (name) => (paths[name] ||= new Path2D(SYMBOLS[name] || SYMBOLS.circle))

// ---------------------------------------------------------------- payloads

/** Header and numbers of a payload; null where it is none. */
export function unpack(bytes) {
  if (!bytes || bytes.length < 8) return null
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const length = view.getUint32(0, true)
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)))
  const numbers = new Float32Array(bytes.slice(4 + length).buffer)
  Object.assign(SYMBOLS, header.symbols)
  header.at = new Map(header.stops.map((label, stop) => [label, stop]))
  for (const figure of header.figures) {
    figure.get = (name, stop) => {
      const held = figure.numbers[name]
      if (!held) return null
      const [start, size, moving] = held
      return numbers.subarray(start + (moving ? stop * size : 0), start + (moving ? stop * size : 0) + size)
    }
    figure.words = (name, stop) => {
      const found = figure.get(`${name} text`, stop)
      return found && [...found].map((one) => header.strings[one])
    }
    figure.moves = (layer) => Object.keys(figure.numbers).some((name) => figure.numbers[name][2] && (name === layer || name.startsWith(`${layer} `)))
    figure.reach = {}
    for (const name of Object.keys(figure.numbers)) {
      if (!name.startsWith("range ")) continue
      const ends = header.stops.map((_, stop) => figure.get(name, stop)).filter((pair) => isFinite(pair[0]) && isFinite(pair[1]))
      if (!ends.length) continue
      const low = Math.min(...ends.map((pair) => Math.min(...pair))), high = Math.max(...ends.map((pair) => Math.max(...pair)))
      figure.reach[name] = ends[0][0] > ends[0][1] ? [high, low] : [low, high]
    }
  }
  return header
}

// ---------------------------------------------------------------- positions on a figure

/** What a figure's plotting areas are now: their place within the chart's own box. */
function measured(gd, box) {
  const layout = gd && gd._fullLayout
  if (!layout) return null
  const chart = gd.getBoundingClientRect(), frame = box.getBoundingClientRect(), axes = {}
  for (const [name, axis] of Object.entries(layout)) {
    if (!/^[xy]axis\d*$/.test(name) || !axis || axis._offset === undefined) continue
    axes[name] = {
      offset: axis._offset, length: axis._length, range: axis.range.slice(), log: axis.type === "log",
      category: axis.type === "category", ticks: axis.nticks, dtick: axis.tickmode === "linear" ? axis.dtick : 0,
      vals: axis.tickvals, texts: axis.ticktext, grid: axis.showgrid !== false, labels: axis.showticklabels !== false && axis.visible,
      zero: axis.zeroline, zeroColour: axis.zerolinecolor, zeroWidth: axis.zerolinewidth, names: axis._categories,
      gridColour: axis.gridcolor, font: axis.tickfont || layout.font, anchor: axis.anchor, up: name[0] === "y",
    }
  }
  const held = layout.ternary && layout.ternary._subplot
  const ternary = held && { x: held.x0, y: held.y0, w: held.w, h: held.h, least: [held.aaxis.min, held.baxis.min, held.caxis.min] }
  return { left: chart.left - frame.left, top: chart.top - frame.top, width: chart.width, height: chart.height, axes, ternary,
    font: layout.font.family, colour: layout.font.color, size: layout._size }
}

const onto = (axis, range, value) => {
  const share = (value - range[0]) / (range[1] - range[0])
  return axis.up ? axis.offset + axis.length * (1 - share) : axis.offset + axis.length * share
}

/** Ticks as Plotly spaces them. */
function ticks(axis, range) {
  if (axis.category && axis.names) return axis.names.map((text, value) => [value, text.split(/<br\s*\/?>/)])
  if (axis.vals) return [...axis.vals].map((value, n) => [axis.log ? Math.log10(value) : value, [axis.texts ? axis.texts[n] : sign(value)]])
  const apart = Math.abs(range[1] - range[0])
  let step = axis.dtick
  if (!step) {
    const rough = apart / (axis.ticks || Math.min(9, Math.max(4, axis.length / (axis.up ? 40 : 80))) + 1)
    const base = 10 ** Math.floor(Math.log10(rough))
    step = base * ([1, 2, 5, 10].find((one) => one * base >= rough * (1 - 1e-9)) || 10)
  }
  if (!(step > 0) || apart / step > 60) return []
  const low = Math.min(...range), high = Math.max(...range), made = [], digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9))
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; n++) {
    made.push([n * step, [sign(String(Number((n * step).toFixed(digits + 1))))]])
  }
  return made
}

// ---------------------------------------------------------------- drawing

const line = (pen, look) => {
  pen.strokeStyle = look.colour
  pen.lineWidth = look.width
  pen.setLineDash((DASHES[look.dash] || []).map((part) => (part * Math.max(3, look.width)) / 3))
}

function drawAxis(pen, seen, name, range, across, names, own) {
  const axis = seen.axes[name]
  const [from, to] = [across.offset, across.offset + across.length]
  const found = own ? [...own].filter(isFinite).map((value) => [value, [String(value)]]) : names ? names.map((text, value) => [value, [plain(text)], styleOf(text)]) : ticks(axis, range)
  pen.setLineDash([])
  for (const [value, words, style] of found) {
    const at = onto(axis, range, value)
    if (at < axis.offset - 0.6 || at > axis.offset + axis.length + 0.6) continue
    if (axis.grid) {
      const base = axis.zero && Math.abs(value) < 1e-12 && !axis.log && !axis.category
      pen.strokeStyle = base ? axis.zeroColour : axis.gridColour
      pen.lineWidth = base ? axis.zeroWidth : 1
      pen.beginPath()
      if (axis.up) pen.moveTo(from, at), pen.lineTo(to, at)
      else pen.moveTo(at, from), pen.lineTo(at, to)
      pen.stroke()
    }
    if (!axis.labels) continue
    pen.font = `${style || ""} ${axis.font.size}px ${axis.font.family || seen.font}`
    pen.fillStyle = axis.font.color
    pen.textBaseline = axis.up ? "middle" : "top"
    pen.textAlign = axis.up ? "right" : "center"
    words.forEach((word, row) => pen.fillText(word, axis.up ? from - 3 : at, axis.up ? at : to + 5 + row * axis.font.size * 1.3))
  }
}

function drawSign(pen, look, x, y, hollow) {
  const open = look.symbol.endsWith("-open")
  const size = look.size / 20
  pen.save()
  pen.translate(x, y)
  pen.scale(size, size)
  pen.setLineDash([])
  const shape = symbol(look.symbol.replace("-open", ""))
  const ring = open ? Math.max(1, look.ring || 0) : look.ring
  if (!open && look.symbol !== "line-ns") {
    pen.fillStyle = hollow ? look.paper : look.colour
    pen.fill(shape)
  }
  if (ring) {
    pen.strokeStyle = open || hollow ? look.colour : look.ringColour || look.colour
    pen.lineWidth = ring / size
    pen.stroke(shape)
  }
  pen.restore()
}

function bar(pen, look, x, y, low, high, up) {
  if (!isFinite(low) || !isFinite(high)) return
  const cap = look.cap ?? 4
  line(pen, { colour: look.bar || look.colour, width: look.barWidth || 1.2, dash: "solid" })
  pen.beginPath()
  if (up) {
    pen.moveTo(x, low), pen.lineTo(x, high)
    pen.moveTo(x - cap, low), pen.lineTo(x + cap, low)
    pen.moveTo(x - cap, high), pen.lineTo(x + cap, high)
  } else {
    pen.moveTo(low, y), pen.lineTo(high, y)
    pen.moveTo(low, y - cap), pen.lineTo(low, y + cap)
    pen.moveTo(high, y - cap), pen.lineTo(high, y + cap)
  }
  pen.stroke()
}

/** The marks of a layer: points with their intervals; an arrow at the edge for what lies beyond the axes. */
function marks(pen, figure, layer, stop, seen, axis, told) {
  const [across, up, rangeX, rangeY] = axis
  const of = (name) => figure.get(`${layer.name} ${name}`, stop)
  const xs = of("x"), ys = of("y"), ends = ["x low", "x high", "y low", "y high"].map(of), full = of("full"), seenAt = of("shown"), alpha = of("alpha")
  const beyond = (value, range) => (!isFinite(value) ? 0 : value > Math.max(...range) ? 1 : value < Math.min(...range) ? -1 : 0)
  const drawn = layer.order || layer.looks.map((_, n) => n)
  for (const n of drawn) {
    const look = layer.looks[n], x = xs[n], y = ys[n]
    const mark = { figure: figure.target, layer: layer.name, panel: layer.panel || 0, name: look.name, x, y, low: ends[2] ? ends[2][n] : undefined,
      high: ends[3] ? ends[3][n] : undefined, left: ends[0] ? ends[0][n] : undefined, right: ends[1] ? ends[1][n] : undefined }
    told.push(mark)
    if (!isFinite(x) || !isFinite(y) || (seenAt && !seenAt[n])) continue
    const side = layer.edges ? [beyond(x, rangeX), beyond(y, rangeY)] : [0, 0]
    const clip = (value, range) => Math.min(Math.max(value, Math.min(...range)), Math.max(...range))
    const px = onto(across, rangeX, side[0] ? clip(x, rangeX) : x), py = onto(up, rangeY, side[1] ? clip(y, rangeY) : y)
    mark.px = px
    mark.py = py
    mark.edge = side[0] || side[1] ? `${side}` : ""
    if (mark.edge) {
      drawSign(pen, { ...look, symbol: `${EDGES[side]}${layer.edges === "named" ? "-open" : ""}` }, px, py)
      const words = `${look.short} ${[x, y].filter((_, place) => side[place]).map((value) => sign(value.toFixed(2))).join(", ")}`
      pen.font = `11px ${seen.font}`
      pen.fillStyle = seen.colour
      pen.textAlign = { 1: "right", 0: "center", "-1": "left" }[side[0]]
      pen.textBaseline = "middle"
      if (layer.edges === "named") pen.fillText(words, px - side[0] * 8, side[1] === 1 ? py + 12 : py - 12)
      continue
    }
    if (ends[2]) bar(pen, look, px, py, onto(up, rangeY, ends[2][n]), onto(up, rangeY, ends[3][n]), true)
    if (ends[0]) bar(pen, look, px, py, onto(across, rangeX, ends[0][n]), onto(across, rangeX, ends[1][n]), false)
    if (layer.line) continue
    pen.globalAlpha = alpha ? alpha[n] : 1
    drawSign(pen, look, px, py, full && !full[n])
    pen.globalAlpha = 1
  }
}

/** Polylines, one a look; a line breaks where a value is undefined. With `low` and `high`, the band behind it. */
function lines(pen, figure, layer, stop, seen, axis, told) {
  const [across, up, rangeX, rangeY] = axis
  const xs = figure.get(`${layer.name} x`, stop), ys = figure.get(`${layer.name} y`, stop)
  const low = figure.get(`${layer.name} low`, stop), high = figure.get(`${layer.name} high`, stop)
  const count = xs.length
  layer.looks.forEach((look, n) => {
    const own = ys.subarray(n * count, (n + 1) * count)
    const at = [...own].map((y, k) => [onto(across, rangeX, xs[k]), onto(up, rangeY, y)])
    told.push({ figure: figure.target, layer: layer.name, panel: layer.panel || 0, name: look.name, xs, ys: own, points: at })
    if (low && look.band) {
      const ends = [...own.keys()].filter((k) => isFinite(low[n * count + k]) && isFinite(high[n * count + k]))
      pen.fillStyle = look.band
      pen.beginPath()
      for (const k of ends) pen.lineTo(at[k][0], onto(up, rangeY, high[n * count + k]))
      for (const k of ends.reverse()) pen.lineTo(at[k][0], onto(up, rangeY, low[n * count + k]))
      pen.fill()
    }
    if (look.fill) {
      pen.fillStyle = look.fill
      pen.beginPath()
      const shown = at.filter((point) => isFinite(point[0]) && isFinite(point[1]))
      shown.forEach((point) => pen.lineTo(...point))
      if (shown.length) pen.lineTo(shown[shown.length - 1][0], onto(up, rangeY, 0)), pen.lineTo(shown[0][0], onto(up, rangeY, 0))
      pen.fill()
    }
    polyline(pen, look, at)
    if (look.symbol) for (const [x, y] of at) if (isFinite(y) && isFinite(x)) drawSign(pen, look, x, y)
  })
}

/** The dashed upright line where the slider stands, through all panels, and its label. */
function cursor(pen, figure, layer, stop, seen, axis, told) {
  const x = figure.get(`${layer.name} x`, stop)[0]
  const [across, , rangeX] = axis
  if (!isFinite(x)) return
  const at = onto(across, rangeX, x), top = seen.size.t, foot = seen.height - seen.size.b
  told.push({ figure: figure.target, layer: layer.name, name: "", x, px: at })
  if (at < across.offset - 1 || at > across.offset + across.length + 1) return
  line(pen, { colour: layer.colour, width: 1.5, dash: "dash" })
  pen.setLineDash([9, 9])
  pen.beginPath()
  pen.moveTo(at, top)
  pen.lineTo(at, foot)
  pen.stroke()
  pen.font = `12px ${seen.font}`
  pen.fillStyle = layer.colour
  pen.textAlign = "center"
  pen.textBaseline = "bottom"
  pen.fillText(figure.words(`${layer.name} label`, stop)[0], at, top - 3)
}

/** Words: what is starred, undefined, or beyond the axis. `across` and `down`: shares of the panel; else at `y`. */
function words(pen, figure, layer, stop, seen, axis) {
  const [across, up, rangeX, rangeY] = axis
  const found = figure.words(layer.name, stop), ys = figure.get(`${layer.name} y`, stop), step = layer.size * 1.3
  const foot = layer.down === 1
  pen.fillStyle = layer.colour
  pen.textBaseline = ys ? "middle" : foot ? "bottom" : "top"
  pen.textAlign = layer.align || "center"
  const said = [...found.keys()].filter((n) => found[n])
  said.forEach((n, row) => {
    const y = ys ? onto(up, rangeY, ys[n]) : up.offset + up.length * layer.down + (foot ? row + 1 - said.length : row) * step
    pen.font = `${layer.size}px ${seen.font}`
    pen.fillText(plain(found[n]), across.offset + across.length * layer.across, y)
  })
}

/** Two pieces of text, the first bold, from `x` to the right, to the left, or around it. */
function pair(pen, seen, texts, x, y, size, align, colour = seen.colour) {
  const fonts = [`bold ${size}px ${seen.font}`, `${size}px ${seen.font}`]
  const wide = texts.map((text, n) => ((pen.font = fonts[n]), pen.measureText(text).width))
  const left = x - (wide[0] + wide[1]) * { left: 0, center: 0.5, right: 1 }[align]
  pen.textAlign = "left"
  texts.forEach((text, n) => {
    pen.font = fonts[n]
    pen.fillStyle = n ? colour : seen.colour
    pen.fillText(text, left + n * wide[0], y)
  })
}

/** The title of a panel: the measure in bold, and its baseline. */
function heading(pen, figure, layer, stop, seen, [across, up]) {
  pen.textBaseline = "bottom"
  pair(pen, seen, figure.words(layer.name, stop).map(plain), across.offset + across.length / 2, up.offset - 3, 12, "center")
}

/** A line of words at each `y`, `shift` pixels from an end of the axis. */
function captions(pen, figure, layer, stop, seen, [across, up, , range]) {
  const [bold, rest] = ["bold", "rest"].map((part) => figure.words(`${layer.name} ${part}`, stop).map(plain))
  const room = layer.name !== "tails" || seen.width >= NARROW
  pen.textBaseline = "middle"
  figure.get(`${layer.name} y`, stop).forEach((y, n) =>
    pair(pen, seen, [bold[n] && `${bold[n]} `, room ? rest[n] : ""], across.offset + across.length * layer.across + layer.shift,
      onto(up, range, y), layer.size, layer.align, layer.colour))
}

/** Upright bands through all panels. */
function shades(pen, figure, layer, stop, seen, axis) {
  const found = figure.get(layer.name, stop), [across, , rangeX] = axis
  pen.fillStyle = layer.colour
  for (let n = 0; n + 1 < found.length; n += 2) {
    const [from, to] = [found[n], found[n + 1]].map((value) => onto(across, rangeX, value))
    if (isFinite(from)) pen.fillRect(from, seen.size.t, to - from, seen.height - seen.size.t - seen.size.b)
  }
}

function polyline(pen, look, at) {
  line(pen, look)
  pen.beginPath()
  let open = false
  for (const [x, y] of at) {
    if (!isFinite(y) || !isFinite(x)) open = false
    else if (open) pen.lineTo(x, y)
    else pen.moveTo(x, y), (open = true)
  }
  pen.stroke()
}

/** The place of shares that lie within a triangle. */
function corner({ x, y, w, h, least }, shares) {
  const room = 1 - least[0] - least[1] - least[2]
  const [top, , right] = shares.map((share, place) => (share - least[place]) / room)
  return [x + w * (right + top / 2), y + h * (1 - top)]
}

/** Points of a triangle: shares of three groups, which sum to 1. */
function triangle(pen, figure, layer, stop, seen, told) {
  const { least } = seen.ternary
  const found = figure.get(`${layer.name} shares`, stop), room = 1 - least[0] - least[1] - least[2]
  layer.looks.forEach((look, n) => {
    const shares = [...found.subarray(n * 3, n * 3 + 3)]
    const mark = { figure: figure.target, layer: layer.name, name: look.name, shares }
    told.push(mark)
    if (!shares.every(isFinite)) return
    const above = shares.map((share, place) => Math.max(0, share - least[place])), total = above.reduce((sum, one) => sum + one, 0)
    const outside = shares.some((share, place) => share < least[place] - 1e-6)
    const [px, py] = corner(seen.ternary, outside ? least.map((one, place) => one + room * (total ? above[place] / total : 1 / 3)) : shares)
    Object.assign(mark, { px, py, edge: outside ? "outside" : "" })
    drawSign(pen, outside ? { ...look, symbol: "triangle-down-open" } : look, px, py)
  })
}

function sheet(owner) {
  const made = document.createElement("canvas")
  made.className = "fv-live"
  made.setAttribute("aria-hidden", "true")
  made.fairviz = owner
  return made
}

const LAYERS = { marks, lines, cursor, words, heading, captions, shades }

/** Two canvases over one figure: below what no stop changes, as axes, and above what moves. */
class Overlay {
  constructor(figure) {
    this.target = figure.target
    this.notes = figure.still.notes // whether the figure's notes move too
    this.told = []
    this.seen = null
  }

  /** Puts the canvases over the chart, where they are not; false where there is no chart. */
  attach() {
    const box = standing(this.box, this.target) ? this.box : place(this.target), gd = box && box.querySelector(".js-plotly-plot")
    const seen = gd && gd !== this.gd && measured(gd, box)
    if (seen) this.seen = seen, this.gd = gd
    if (!this.seen || !box) return false
    const placed = this.canvas && this.canvas.parentElement === box
    if (placed && !seen) return true
    if (!placed) {
      this.drop()
      this.under = sheet(this)
      this.canvas = sheet(this)
      box.style.position = "relative"
      box.append(this.under, this.canvas)
      this.box = box
    }
    const ratio = window.devicePixelRatio || 1, { left, top, width, height } = this.seen
    for (const one of [this.under, this.canvas]) {
      one.width = Math.round(width * ratio)
      one.height = Math.round(height * ratio)
      Object.assign(one.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` })
      one.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0)
    }
    box.dataset.fvLive = this.seen.ternary ? "triangle" : this.notes ? "plot notes" : "plot" // React overwrites classes, but not this attribute
    this.pen = this.canvas.getContext("2d")
    this.key = null
    return true
  }

  draw(figure, stop, zoom) {
    if (!this.attach()) return false
    const { pen, seen } = this
    if (figure !== this.figure) this.figure = figure, this.key = null
    pen.clearRect(0, 0, seen.width, seen.height)
    this.told = []
    this.stop = stop
    this.ranges = {}
    const empty = figure.words("empty", stop)
    if (empty && empty[0]) {
      this.key = null
      this.under.getContext("2d").clearRect(0, 0, seen.width, seen.height)
      pen.font = `13px ${seen.font}`
      pen.fillStyle = seen.colour
      pen.textAlign = "center"
      pen.textBaseline = "middle"
      pen.fillText(empty[0], seen.width / 2, seen.height / 2)
      this.title(figure, stop)
      return true
    }
    for (const [name, axis] of Object.entries(seen.axes)) {
      const own = figure.get(`range ${name}`, stop), reach = figure.reach[`range ${name}`]
      this.ranges[name] = own && isFinite(own[0]) ? [0, 1].map((end) => own[end] + (reach[end] - own[end]) * zoom) : axis.range
    }
    if (!this.ground(figure, stop)) return false
    this.told = [...this.held]
    this.layers(pen, figure, stop, true)
    this.title(figure, stop)
    return true
  }

  /** What is beneath the marks that move, drawn anew only where it is another than before. */
  ground(figure, stop) {
    const { seen, ranges } = this, panels = figure.still.panels || [["xaxis", "yaxis"]]
    const own = (name) => [...(figure.get(name, stop) || [])]
    const key = JSON.stringify([ranges, panels.map(([x, y]) => [own(`ticks ${x}`), own(`names ${y} text`)])])
    if (key === this.key) return true
    const pen = this.under.getContext("2d")
    pen.clearRect(0, 0, seen.width, seen.height)
    this.held = this.told
    if (!seen.ternary) {
      for (const [x, y] of panels) {
        if (!seen.axes[x] || !seen.axes[y]) return false
        drawAxis(pen, seen, x, ranges[x], { offset: seen.axes[y].offset, length: seen.axes[y].length }, null, figure.get(`ticks ${x}`, stop))
        drawAxis(pen, seen, y, ranges[y], { offset: seen.axes[x].offset, length: seen.axes[x].length }, figure.words(`names ${y}`, stop))
      }
    }
    this.layers(pen, figure, stop, false)
    this.key = key
    return true
  }

  /** The layers that a stop changes, or those that none does. */
  layers(pen, figure, stop, moving) {
    const { seen, ranges } = this, panels = figure.still.panels || [["xaxis", "yaxis"]]
    for (const layer of figure.still.layers) {
      if (figure.moves(layer.name) !== moving) continue
      if (seen.ternary) {
        triangle(pen, figure, layer, stop, seen, this.told)
        continue
      }
      const [x, y] = panels[layer.panel || 0], axis = [seen.axes[x], seen.axes[y], ranges[x], ranges[y]]
      pen.save()
      if (layer.clip) {
        pen.beginPath()
        pen.rect(axis[0].offset, axis[1].offset, axis[0].length, axis[1].length)
        pen.clip()
      }
      LAYERS[layer.draw](pen, figure, layer, stop, seen, axis, this.told)
      pen.restore()
    }
  }

  /** Titles of the figure and of its axes, which name the measure with its cutoff. */
  title(figure, stop) {
    for (const [name, at] of [["title", ".g-gtitle text"], ["x title", ".g-xtitle text"], ["y title", ".g-ytitle text"]]) {
      const found = figure.words(name, stop), node = this.box.querySelector(at)
      if (!found || !node || node.textContent === found[0]) continue
      if (!this.titles) this.titles = new Map()
      if (!this.titles.has(node)) this.titles.set(node, [...node.childNodes].map((child) => child.cloneNode(true)))
      node.textContent = found[0]
    }
  }

  gone() {
    return !this.canvas || !this.canvas.isConnected || !standing(this.box, this.target)
  }

  /** Takes the canvas away: what Plotly has drawn is seen again. back: its titles too, as they were. */
  drop(back) {
    if (back && this.titles) for (const [node, children] of this.titles) node.replaceChildren(...children)
    this.titles = null
    if (this.canvas) this.canvas.remove(), this.under.remove()
    if (this.box) delete this.box.dataset.fvLive
    this.canvas = this.box = null
  }
}

// ---------------------------------------------------------------- sentences and tables

/** The finding of the page, or what is said of the pinned picture: HTML that the server has escaped. */
class Sentence {
  constructor(figure) {
    this.target = figure.target
  }

  node() {
    if (this.target === "pinned") return main().querySelector(".fv-pinned")
    return [...main().querySelectorAll(".fv-notice")].find((one) => !one.closest('[data-testid="stColumn"], [class*="_card"]'))
  }

  draw(figure, stop) {
    const node = this.gone() ? this.node() : this.held, found = figure.words("html", stop)[0]
    if (!node) return false
    if (node !== this.held) {
      this.held = node
      this.before = node.innerHTML
      this.now = null
    }
    this.stop = stop
    if (this.now === found) return true
    node.innerHTML = this.now = found
    node.dataset.live = String(stop)
    return true
  }

  gone() {
    return !this.held || !this.held.isConnected
  }

  drop(back) {
    if (this.held) {
      if (back) this.held.innerHTML = this.before
      delete this.held.dataset.live
    }
    this.held = null
  }
}

/** The table of the Overview, laid over the one that Streamlit draws: the same columns, the same words. */
class Table {
  constructor(figure) {
    this.target = figure.target
  }

  draw(figure, stop) {
    const box = standing(this.box, this.target) ? this.box : place(this.target), under = box && box.querySelector('[data-testid="stDataFrame"]')
    if (!under) return false
    const { heads, rows, widths, grey, bold, chosen } = figure.still
    if (!this.root || this.root.parentElement !== box) {
      this.root = document.createElement("div")
      this.root.className = "fv-live-table"
      this.root.setAttribute("aria-hidden", "true")
      this.root.fairviz = this
      this.root.style.background = getComputedStyle(document.querySelector(".stApp")).backgroundColor
      const table = document.createElement("table"), head = table.createTHead().insertRow()
      heads.forEach((text, n) => {
        const cell = document.createElement("th")
        cell.textContent = text
        if (widths[n]) cell.style.width = `${widths[n]}px`
        head.append(cell)
      })
      const body = table.createTBody()
      this.cells = rows.map((_, row) => {
        const line = body.insertRow()
        if (grey.includes(row)) line.className = "fv-live-apart"
        if (row === chosen) line.classList.add("fv-live-chosen")
        return heads.map(() => line.insertCell())
      })
      this.root.append(table)
      box.style.position = "relative"
      box.append(this.root)
      this.box = box
      const area = under.getBoundingClientRect(), frame = box.getBoundingClientRect()
      Object.assign(this.root.style, { left: `${area.left - frame.left}px`, top: `${area.top - frame.top}px`, width: `${area.width}px`, height: `${area.height}px` })
    }
    const found = figure.words("cells", stop), stars = figure.get("stars", stop)
    this.values = figure.get("values", stop)
    this.stop = stop
    this.cells.forEach((line, row) => line.forEach((cell, n) => {
      const text = found[row * heads.length + n]
      if (cell.textContent !== text) cell.textContent = text
      cell.classList.toggle("fv-live-star", Boolean(stars[row * heads.length + n]))
    }))
    return true
  }

  gone() {
    return !this.root || !this.root.isConnected || !standing(this.box, this.target)
  }

  drop() {
    if (this.root) this.root.remove()
    this.root = null
  }
}

const KINDS = { plot: Overlay, html: Sentence, table: Table }

// ---------------------------------------------------------------- following the pointer

class Live {
  constructor() {
    this.payloads = {} // of the page as it is, by slider
    this.kept = new Map() // by token, as many as the server counts as sent: it sends none a second time
    this.page = null
    this.over = new Map()
    this.zoom = 0
    this.goal = 0
    this.held = false
    this.playing = null
    this.due = "" // the slider that plays once its payload is here
    this.frames = 0
    this.on = []
    this.listen(document, "input", () => this.soon())
    this.listen(document, "pointerdown", (event) => this.pointer(event, true))
    this.listen(document, "pointermove", (event) => this.guess(event))
    for (const name of ["pointerup", "pointercancel"]) this.listen(window, name, (event) => this.pointer(event, false))
    this.listen(window, "blur", (event) => event.target === window && this.pointer(event, false)) // not that of an element
    this.listen(document, "pointerover", (event) => this.near(event))
    this.listen(document, "focusin", (event) => this.near(event))
    this.listen(document, "keydown", (event) => this.key(event))
    this.listen(window, "resize", () => this.clear(true))
    this.watch()
  }

  listen(target, name, heard) {
    target.addEventListener(name, heard, true)
    this.on.push([target, name, heard])
  }

  /** Streamlit's own sliders say where they stand before the server hears of it. */
  watch() {
    const app = document.querySelector('[data-testid="stApp"]')
    if (!app || this.app === app) return
    this.app = app
    if (this.observer) this.observer.disconnect()
    this.observer = new MutationObserver(() => (this.check(), this.soon()))
    this.observer.observe(app, { subtree: true, attributes: true, attributeFilter: ["aria-valuetext", "value", "aria-expanded", "aria-activedescendant"] })
    // a list is outside the app, and marks the option under the pointer after the pointer has moved
    this.observer.observe(document.body, { subtree: true, attributes: true, attributeFilter: ["data-hovered"] })
    if (this.moves) this.moves.disconnect()
    const knob = '[data-testid="stSlider"]'
    this.moves = new MutationObserver((changes) => changes.some(({ target }) => !target.closest(knob)) && this.mend())
    this.moves.observe(app, { subtree: true, childList: true })
    if (this.eyes) this.eyes.disconnect()
    this.eyes = new IntersectionObserver((seen) => {
      for (const { target, isIntersecting } of seen) target.fairvizFar = !isIntersecting
      if (this.shown) this.soon(true)
    }, { rootMargin: "100px" })
  }

  stop() {
    clearTimeout(this.later)
    this.clear(true)
    this.halt()
    for (const [target, name, heard] of this.on) target.removeEventListener(name, heard, true)
    if (this.observer) this.observer.disconnect()
    if (this.moves) this.moves.disconnect()
    if (this.eyes) this.eyes.disconnect()
    this.page = null
  }

  pointer(event, down) {
    const slider = down && this.at(event.target), own = slider && input(slider), line = own && track(own)
    if (down && slider && (this.playing || this.due)) this.halt()
    this.grip = line && line.contains(event.target) && !event.button ? { slider, own, line, x: event.clientX } : null
    if (Boolean(slider) === this.held) return
    this.held = Boolean(slider)
    this.soon()
  }

  // Predicts the slider's value after this move. Its text, a frame later, confirms the prediction. After a wrong
  // prediction, only the text is read until the slider is released.
  guess(event) {
    const { grip } = this, payload = grip && this.payloads[grip.slider]
    if (!payload || grip.wrong || !grip.own.isConnected) return
    const [low, high, step] = ["min", "max", "step"].map((name) => Number(grip.own[name]))
    if (grip.share === undefined) {
      grip.share = (grip.own.value - low) / (high - low)
      grip.wide = grip.line.getBoundingClientRect().width
    }
    const share = Math.min(1, Math.max(0, grip.share + (event.clientX - grip.x) / grip.wide))
    const value = Math.round((share * (high - low)) / step) * step + low
    grip.label = step < 1 ? value.toFixed(2) : payload.stops[value - low]
    clearTimeout(this.checking)
    this.checking = setTimeout(() => (this.check(), this.soon()), REST)
    this.soon()
  }

  /** What the slider reads against what was foretold. */
  check() {
    const { grip } = this
    if (grip && grip.label !== undefined && grip.own.getAttribute("aria-valuetext") !== grip.label) grip.wrong = true
  }

  /** What a slider reads, or is about to. */
  reads(slider, own) {
    const { grip } = this
    if (own.type !== "range") return option(own, this.page.present[slider])
    return grip && grip.slider === slider && !grip.wrong && grip.label !== undefined ? grip.label : own.getAttribute("aria-valuetext")
  }

  /** A hand near a slider asks for its payload. */
  near(event) {
    const slider = this.at(event.target)
    if (event.target.closest && event.target.closest("[role=listbox]")) this.soon()
    if (!slider) return
    this.ask(slider)
  }

  /** The slider of the page that an element is part of. */
  at(node) {
    return this.page && node.closest && Object.keys(this.page.present).find((one) => node.closest(`.st-key-${CSS.escape(one)}`))
  }

  key(event) {
    const at = event.target
    if (event.key !== " " || !(at instanceof HTMLInputElement) || at.type !== "range") return
    const slider = this.page && Object.keys(this.page.present).find((one) => input(one) === at)
    if (!slider) return
    event.preventDefault()
    this.toggle(slider)
  }

  /** The page's own state, as the run of the server has it. */
  settle(page, send) {
    const moved = this.page && this.page.name !== page.name, anew = !this.page || this.page.run !== page.run
    this.page = page
    this.send = send
    if (moved) this.clear(false), this.halt()
    this.watch()
    this.payloads = {}
    for (const [slider, token] of Object.entries(page.tokens)) if (this.kept.has(token)) this.payloads[slider] = this.kept.get(token)
    if (anew) this.pending = ""
    if (page.unable.includes(this.due)) this.due = ""
    if (this.payloads[this.due] && input(this.due)) this.toggle(this.due)
    else if (this.due) this.ask(this.due)
    this.idle()
    this.buttons()
    this.soon()
  }

  /** What is not here is asked for while nobody waits for anything else; also where its slider is drawn only later. */
  idle() {
    clearTimeout(this.later)
    if (!this.missing().length || !this.page.wait) return
    this.later = setTimeout(() => {
      if (!this.held && !this.shown && !this.playing && !this.pending) this.ask(this.lacking()[0])
      this.idle()
    }, this.page.wait)
  }

  /** Where a run of the server replaces what a canvas lay on, the canvas is back before the next frame. */
  mend() {
    this.changed = performance.now()
    const payload = this.shown && this.payloads[this.shown.slider]
    if (!payload) return
    for (const figure of payload.figures) {
      const over = this.over.get(figure.target)
      if (over && over.gone()) over.draw(figure, this.shown.stop, this.zoom)
    }
    this.wait(payload)
    this.moves.takeRecords()
  }

  /** The sliders of the page whose payload is not here; one that cannot be made is not asked for. */
  missing() {
    if (!this.page) return [] // the page was left
    const { tokens, made } = this.page
    return Object.keys(tokens).filter((slider) => !this.payloads[slider] && !made.includes(slider))
  }

  /** Those of them that stand on the page. */
  lacking() {
    return this.missing().filter((slider) => input(slider))
  }

  ask(slider) {
    if (!this.page || this.pending === slider || !this.lacking().includes(slider)) return
    this.pending = slider
    this.send(`${this.page.run} ${slider}`)
  }

  take(payload) {
    this.kept.set(payload.token, payload)
    if (this.page && this.kept.size > this.page.held) this.kept.delete(this.kept.keys().next().value)
    if (this.page && payload.token !== this.page.tokens[payload.slider]) return
    this.payloads[payload.slider] = payload
    if (this.pending === payload.slider) this.pending = ""
    if (this.due === payload.slider) this.toggle(payload.slider)
    this.soon()
  }

  /** Draws with the next frame. anew: also where the slider stands as it stood. */
  soon(anew) {
    if (anew) this.anew = true
    if (this.frame) return
    this.frame = requestAnimationFrame((now) => {
      this.frame = 0
      try {
        this.draw(now)
      } catch (trouble) {
        console.warn("fairviz: the figures wait for the server.", trouble)
        this.clear(true)
        this.payloads = {}
        this.kept.clear()
      }
    })
  }

  /** Where each slider stands that is not where the page stands: its name and its stop. */
  astray() {
    const found = []
    for (const [slider, label] of Object.entries(this.page.present)) {
      const own = input(slider), now = own && this.reads(slider, own), held = this.payloads[slider]
      if (!own || now === label || (own.type !== "range" && !(held && held.at.has(now)))) continue // a box may show a value without a stop
      found.push([slider, now])
    }
    return found
  }

  draw(now) {
    if (!this.page) return
    const astray = this.playing ? [[this.playing.slider, this.playing.label]] : this.astray()
    const [slider, label] = astray[0] || [this.shown && this.shown.slider, this.shown && this.page.present[this.shown.slider]]
    const payload = slider && this.payloads[slider], stop = payload && payload.at.get(label)
    if (astray.length > 1 || (slider && stop === undefined)) return this.clear(false)
    if (!slider) return
    const held = this.held || Boolean(this.playing)
    if (!astray.length && !held) return this.finish(now, payload, stop)
    this.since = 0
    this.show(payload, stop, now, held)
  }

  show(payload, stop, now, held) {
    this.goal = held ? 1 : 0
    const step = still() ? 1 : Math.min(1, (now - (this.before || now)) / ZOOM)
    this.before = now
    const before = this.zoom
    this.zoom = this.goal > before ? Math.min(this.goal, before + step) : Math.max(this.goal, before - step)
    const last = this.shown || {}, same = last.payload === payload && last.stop === stop
    if (this.zoom !== this.goal) this.soon()
    else this.before = 0
    if (same && before === this.zoom && !this.anew) return
    this.anew = false
    this.shown = { slider: payload.slider, stop, payload }
    if (!same) this.say(payload, stop) // also where the server was faster than the frame
    this.paint(payload, stop, false)
    clearTimeout(this.resting)
    this.resting = setTimeout(() => this.shown && this.paint(payload, this.shown.stop, true), REST)
    if (last.payload !== payload) this.wait(payload)
    this.frames += 1
    this.moves.takeRecords() // own changes are not events
  }

  // far: the cards out of view, drawn once the pointer rests; else those in view, the texts last, as only these change
  // the page's layout.
  paint(payload, stop, far) {
    for (const figure of [...payload.figures].sort((one, other) => (one.kind === "html") - (other.kind === "html"))) {
      let over = this.over.get(figure.target)
      if (!over) this.over.set(figure.target, (over = new KINDS[figure.kind](figure)))
      const box = over.box
      if (far ? over.stop === stop && over.zoom === this.zoom : box && box.fairvizFar) continue
      over.draw(figure, stop, this.zoom)
      over.zoom = this.zoom
      if (over.box && over.box !== box) this.eyes.observe(over.box)
    }
  }

  /** Pales the charts that this slider changes and no payload moves. */
  wait(payload) {
    for (const key of this.page.figures) {
      const box = place(key)
      if (!box) continue
      if (payload.figures.some((one) => one.target === key) || payload.still.includes(key)) delete box.dataset.fvWait
      else box.dataset.fvWait = ""
    }
    document.body.dataset.fvLive = payload.still.includes("finding") ? "still" : "on"
  }

  /** The slider stands where the page does: Plotly takes over as soon as it has drawn. */
  finish(now, payload, stop) {
    if (!this.shown) return
    if (!this.since) this.since = now
    const quiet = performance.now() - (this.changed || 0) > QUIET
    if ((quiet && !this.zoom && this.ready(payload)) || now - this.since > PATIENCE) return this.clear(false)
    this.show(payload, stop, now, false)
    this.soon()
  }

  /** Whether Plotly has drawn every chart that a canvas lies on. */
  ready(payload) {
    return payload.figures.every((figure) => {
      const box = figure.kind === "plot" && place(figure.target)
      return !box || (box.dataset.stale !== "true" && box.querySelector(".js-plotly-plot .main-svg"))
    })
  }

  /** Everything as the server drew it. back: words too, as they were before the hand moved. */
  clear(back) {
    for (const over of this.over.values()) over.drop(back)
    this.over.clear()
    for (const box of document.querySelectorAll("[data-fv-wait]")) delete box.dataset.fvWait
    delete document.body.dataset.fvLive
    this.shown = null
    clearTimeout(this.resting)
    if (this.eyes) this.eyes.disconnect()
    this.zoom = this.goal = this.since = this.before = 0
  }

  /** Says the stop and the finding to who does not see them, once the hand rests. */
  say(payload, stop) {
    clearTimeout(this.saying)
    this.saying = setTimeout(() => {
      const finding = payload.figures.find((one) => one.kind === "html")
      const node = document.querySelector(".fv-live-said")
      if (!node || !finding) return
      const text = document.createElement("template")
      text.innerHTML = finding.words("html", stop)[0]
      node.textContent = `${payload.label} ${payload.stops[stop]}: ${text.content.textContent}`
    }, 700)
  }

  // -------------------------------------------------------------- play

  toggle(slider) {
    if (this.playing) return this.halt(true)
    const payload = this.payloads[slider]
    this.due = payload || this.due === slider ? "" : slider // a second press takes the first back
    if (this.due) this.ask(slider)
    if (!payload) return this.buttons()
    const own = input(slider)
    const start = payload.at.get(own.getAttribute("aria-valuetext")) ?? 0
    const rest = still() ? 900 : Math.max(60, 5000 / payload.stops.length)
    this.playing = { slider, stop: start, label: payload.stops[start], way: start < payload.stops.length - 1 ? 1 : -1 }
    this.playing.timer = setInterval(() => this.step(payload), rest)
    this.buttons()
  }

  step(payload) {
    const playing = this.playing
    if (!playing || this.payloads[playing.slider] !== payload || !input(playing.slider)) return this.halt()
    const last = payload.stops.length - 1
    if (playing.stop + playing.way > last || playing.stop + playing.way < 0) playing.way = -playing.way
    playing.stop = Math.min(last, Math.max(0, playing.stop + playing.way))
    playing.label = payload.stops[playing.stop]
    this.thumb(playing.slider, payload, playing.stop)
    this.soon()
  }

  /** The slider's knob and the coloured part of its track go along; where they stop, the slider is set for good. */
  thumb(slider, payload, stop) {
    const own = input(slider), knob = own && own.closest('[style*="left"]')
    if (!knob) return
    this.knob ||= { knob, left: knob.style.left, words: knob.querySelector('[data-testid="stSliderThumbValue"] p') }
    this.knob.text ??= this.knob.words && this.knob.words.textContent
    knob.style.left = `${(100 * stop) / Math.max(1, payload.stops.length - 1)}%`
    const bar = this.knob.bar ||= knob.parentElement.firstElementChild
    this.knob.colours ||= getComputedStyle(bar).backgroundImage.match(/rgba?\([^)]*\)/g) || []
    const colours = this.knob.colours, end = `${knob.style.left}, ${colours[colours.length - 1]} ${knob.style.left}`
    if (colours.length) bar.style.background = `linear-gradient(to right, ${colours[0]} ${end})`
    if (this.knob.words) this.knob.words.textContent = payload.stops[stop]
  }

  /** Ends the play. keep: the slider is set to where it stopped, and the server told. */
  halt(keep) {
    const playing = this.playing
    this.due = ""
    if (!playing) return this.buttons()
    clearInterval(playing.timer)
    this.playing = null
    if (this.knob) {
      this.knob.knob.style.left = this.knob.left
      this.knob.bar.style.background = ""
      if (this.knob.words) this.knob.words.textContent = this.knob.text
    }
    this.knob = null
    const own = input(playing.slider)
    if (keep && own) this.set(own, playing.stop / Math.max(1, this.payloads[playing.slider].stops.length - 1))
    this.buttons()
    this.soon()
  }

  /** Sets a slider as a hand would that presses on its track: only then does Streamlit tell the server. */
  set(own, share) {
    const line = track(own)
    if (!line) return
    const box = line.getBoundingClientRect(), at = { clientX: box.left + share * box.width, clientY: box.top + box.height / 2 }
    const event = (name) => new PointerEvent(name, { ...at, pointerId: 1, pointerType: "mouse", button: 0, bubbles: true, cancelable: true })
    line.dispatchEvent(event("pointerdown"))
    document.dispatchEvent(event("pointerup"))
    window.dispatchEvent(event("pointerup"))
  }

  /** Each button shows whether its slider plays, or waits for what it is to show. */
  buttons() {
    for (const button of document.querySelectorAll(".fv-live-play")) {
      const slider = button.dataset.slider, plays = Boolean(this.playing && this.playing.slider === slider)
      const waits = !plays && this.due === slider, { tokens, unable } = this.page || { tokens: {}, unable: [] }
      button.style.visibility = tokens[slider] && !unable.includes(slider) ? "visible" : "hidden"
      button.textContent = plays ? "❚❚" : waits ? "…" : "▶"
      button.title = waits ? WAITING : PLAYING
      button.setAttribute("aria-label", plays ? "Stop" : waits ? WAITING : "Play")
      button.setAttribute("aria-pressed", String(plays || waits))
      button.setAttribute("aria-busy", String(waits))
    }
  }
}

const live = () => (window.fairvizLive ||= new Live())

/** Called by Streamlit with every run. Whatever goes wrong here, the page is as it would be without it. */
export default function (component) {
  try {
    return begin(component)
  } catch (trouble) {
    console.warn("fairviz: the page does not follow its sliders.", trouble)
    return undefined
  }
}

function begin({ data, parentElement, setTriggerValue }) {
  if (data && data.run !== undefined) {
    live().settle(data, (asked) => setTriggerValue("wanted", asked))
    return () => { if (window.fairvizLive) window.fairvizLive.stop(), delete window.fairvizLive }
  }
  if (data && data.play) {
    const button = parentElement.querySelector("button")
    if (!button) return undefined
    button.dataset.slider = data.play
    button.onclick = () => live().toggle(data.play)
    button.onfocus = button.onpointerenter = () => live().page && live().ask(data.play)
    live().buttons()
    return undefined
  }
  const payload = data && data.length !== undefined ? unpack(data) : null
  if (payload) live().take(payload)
  return undefined
}
