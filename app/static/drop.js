// Dropping a file on the upload form chooses it. Everything else works without scripts.
const zone = document.querySelector(".drop");
const input = zone && zone.querySelector("input[type=file]");
if (input) {
  const over = (on) => (event) => { event.preventDefault(); zone.classList.toggle("over", on); };
  for (const name of ["dragenter", "dragover"]) zone.addEventListener(name, over(true));
  for (const name of ["dragleave", "drop"]) zone.addEventListener(name, over(false));
  zone.addEventListener("drop", (event) => { if (event.dataTransfer.files.length) input.files = event.dataTransfer.files; });
}

// Only the tracks that the chosen phase takes can be chosen. Without scripts, the server says which they are.
const form = document.querySelector("form[data-tracks]");
const phase = form && form.querySelector("select[name=phase]");
const track = form && form.querySelector("select[name=track]");
if (phase && track) {
  const tracks = JSON.parse(form.dataset.tracks);
  const narrow = () => {
    for (const option of track.options) option.disabled = !tracks[phase.value].includes(option.value);
    if (track.selectedOptions[0].disabled) track.value = tracks[phase.value][0];
  };
  phase.addEventListener("change", narrow);
  narrow();
}
