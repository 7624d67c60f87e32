export default function () {
  const copy = async (event) => {
    const button = event.target.closest?.(".fv-copy")
    if (!button) return
    const sentence = button.parentElement
    try {
      await navigator.clipboard.writeText(sentence.textContent.trim())
    } catch (refused) {  // outside this machine and https a browser copies only what is selected
      window.getSelection().selectAllChildren(sentence)
      document.execCommand("copy")
    }
    button.dataset.copied = ""
    button.setAttribute("aria-label", "Copied")
    window.setTimeout(() => {
      delete button.dataset.copied
      button.setAttribute("aria-label", "Copy sentence")
    }, 2000)
  }
  document.addEventListener("click", copy)
  return () => document.removeEventListener("click", copy)
}
