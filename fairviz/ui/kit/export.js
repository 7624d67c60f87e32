const [LEAST, SHEET, HEAD] = [120, .54, 60]  // pixels of a card, the sheet's top as a share, pixels of the page's head
export default function ({ data, parentElement }) {
  const button = document.querySelector(`.st-key-${CSS.escape(data.panel)}_export`)
  const find = () => {
    if (!data.figure) return null
    let place = button
    while (place && place.dataset.testid !== "stMain" && !place.querySelector(".js-plotly-plot")) {
      place = place.parentElement
    }
    return place && place.dataset.testid !== "stMain" ? place.querySelector(".js-plotly-plot") : null
  }
  // Plotly clicks a link of its own to save the file, and a click outside the drawer would close it.
  const unheard = (event) => {
    if (!event.target.matches("a[download]")) return
    event.stopImmediatePropagation()
    window.removeEventListener("click", unheard, true)
  }
  const take = (format) => {
    const figure = find()
    const saving = figure && figure.querySelector(".modebar-btn")
    if (!saving) return
    const before = [figure._context.toImageButtonOptions, figure.layout.paper_bgcolor, figure.layout.showlegend]
    const legend = document.querySelector(".st-key-legend") && before[2] === false
    const [width, height] = [figure.clientWidth + (legend ? 140 : 0), figure.clientHeight]
    figure._context.toImageButtonOptions = { format, filename: data.panel, width, height,
      scale: format === "png" ? 2 : 1 }
    figure.layout.paper_bgcolor = getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor
    if (legend) figure.layout.showlegend = true  // the page has one legend for all figures, a file needs its own
    window.addEventListener("click", unheard, true)
    saving.dispatchEvent(new MouseEvent("click"))
    figure._context.toImageButtonOptions = before[0]
    figure.layout.paper_bgcolor = before[1]
    if (legend) figure.layout.showlegend = before[2]
  }
  const buttons = [...parentElement.querySelectorAll("button")]
  let frames = 300  // a figure that is drawn after its buttons
  const look = () => {
    const found = find()
    for (const one of buttons) one.hidden = !found
    if (!found && frames-- > 0 && buttons[0].isConnected) requestAnimationFrame(look)
  }
  for (const one of buttons) one.onclick = () => take(one.dataset.format)
  look()
  // The sheet is at the foot of the window: the page moves up until the figure or table is above it.
  let card = button
  while (card && card.clientHeight < LEAST && card.parentElement) card = card.parentElement
  const shown = (find() || card).getBoundingClientRect()
  const covered = shown.bottom - SHEET * window.innerHeight
  const most = shown.top - HEAD
  if (covered > 0) document.querySelector("[data-testid=stMain]").scrollBy(0, Math.min(covered, Math.max(most, 0)))
}
