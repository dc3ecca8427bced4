// How far a baseline is, asked for every second. Without scripts, the page says it when it is loaded.
const live = document.getElementById("live");
const bar = document.getElementById("bar"), words = document.getElementById("words"), log = document.getElementById("log");
const look = async () => {
  try {
    const answer = await fetch(live.dataset.progress, { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    const now = await answer.json();
    if (now.state !== live.dataset.state) return location.reload();
    if (now.total) {
      bar.max = now.total;
      bar.value = now.done;
      words.textContent = `${now.done.toLocaleString("en")} of ${now.total.toLocaleString("en")} ${now.unit}`;
    }
    if (now.log && now.log !== log.textContent) {
      log.textContent = now.log;
      log.scrollTop = log.scrollHeight;
    }
  } catch { /* the next look may find the server again */ }
};
if (live) setInterval(look, 1000);
