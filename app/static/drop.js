// Dropping a file on the upload form chooses it. Everything else works without scripts.
const zone = document.querySelector(".drop");
const input = zone && zone.querySelector("input[type=file]");
if (input) {
  const over = (on) => (event) => { event.preventDefault(); zone.classList.toggle("over", on); };
  for (const name of ["dragenter", "dragover"]) zone.addEventListener(name, over(true));
  for (const name of ["dragleave", "drop"]) zone.addEventListener(name, over(false));
  zone.addEventListener("drop", (event) => { if (event.dataTransfer.files.length) input.files = event.dataTransfer.files; });
}
