// Runs right after the first rows. Those that are older than a week have a day, in the browser's time zone.
import { LATE_PARTS_ID } from "@agate/protocol";
import { formatDay } from "../format/format-day.ts";

const now = Date.now();
for (const time of document.querySelectorAll("time")) {
  time.textContent = formatDay(Date.parse(time.dateTime), now);
}

// Asking for two dozen scripts takes long on a slow processor: the rows are shown first.
const parts = document.getElementById(LATE_PARTS_ID);
if (parts instanceof HTMLTemplateElement) {
  const load = () => document.head.append(parts.content);
  // A page in the background is not painted.
  if (document.hidden) load();
  else requestAnimationFrame(() => setTimeout(load));
}
document.currentScript?.remove();
