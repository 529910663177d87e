/** A time as `<input type="datetime-local">` has it, where the reader is; empty for what is no time. */
export function toLocalInput(time: string | undefined): string {
  const then = time === undefined ? Number.NaN : Date.parse(time);
  if (Number.isNaN(then)) return "";
  const date = new Date(then);
  const two = (part: number) => String(part).padStart(2, "0");
  const year = String(date.getFullYear()).padStart(4, "0");
  const days = `${year}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${days}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** What was typed there, in UTC; undefined where nothing is, or no time. */
export function fromLocalInput(text: string): string | undefined {
  const then = Date.parse(text);
  return Number.isNaN(then) ? undefined : new Date(then).toISOString();
}
