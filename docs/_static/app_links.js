// Links of the manual into the app: to the server that serves the manual; in a manual opened from files, with a line on
// how to start the app.
(() => {
  const LOCAL = "http://localhost:8501/"
  const NOTE = "This link opens the app on this machine. Start it first: fairviz app"
  const PLACE = /http:\/\/localhost:8501\/(?=[a-z])/g
  const beside = location.href.match(/^(https?:\/\/.*?\/)manual\//)

  function rewrite() {
    const links = [...document.querySelectorAll(`a[href^="${LOCAL}"]`)].filter(link => link.href.length > LOCAL.length)
    if (!beside) {
      for (const link of links) {
        link.title = NOTE
        if (location.protocol !== "file:") continue
        const note = document.createElement("small")
        note.className = "app-link-note"
        note.textContent = ` ${NOTE}`
        link.after(note)
      }
      return
    }
    for (const link of links) link.href = beside[1] + link.href.slice(LOCAL.length)
    const article = document.querySelector("article") ?? document.body
    const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replace(PLACE, () => beside[1])
  }
  document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", rewrite) : rewrite()
})()
