// Times in the reader's own zone, and how long is left. Without scripts, pages show UTC and anywhere-on-Earth.
for (const time of document.querySelectorAll("time[datetime]")) {
  const moment = new Date(time.dateTime);
  time.title = `${moment.toLocaleString([], { dateStyle: "medium", timeStyle: "short" })} where you are · ${time.title}`;
}
for (const each of document.querySelectorAll("[data-here]")) {
  const text = new Date(each.dataset.here).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  each.textContent = `${text} where you are`;
}
const left = (until) => {
  const minutes = Math.floor((until - Date.now()) / 60000);
  if (minutes < 0) return "over";
  const days = Math.floor(minutes / 1440), hours = Math.floor((minutes % 1440) / 60);
  return `${days ? `${days} d ` : ""}${days || hours ? `${hours} h ` : ""}${minutes % 60} min left`;
};
const counters = document.querySelectorAll("[data-until]");
const count = () => { for (const each of counters) each.textContent = left(new Date(each.dataset.until)); };
if (counters.length) { count(); setInterval(count, 30000); }
