// A card has its height once its figure or table is drawn: scroll to it then, unless another was opened meanwhile.
export default function ({ data, parentElement }) {
  const held = parentElement.querySelector("span").dataset
  const before = held.card
  held.card = data.card
  if (before === undefined || before === data.card) return
  const card = data.card || before
  const name = `.st-key-${data.page}_card_${card}${data.card ? "_wide" : ""}`
  let frames = 120
  const look = () => {
    const found = document.querySelector(name)
    if (held.card !== data.card || frames-- < 0) return
    if (found && found.querySelector(".main-svg, canvas, table")) found.scrollIntoView({ block: "nearest" })
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}
