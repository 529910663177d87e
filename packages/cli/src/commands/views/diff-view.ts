import type { ConfigDiff, FieldDiff } from "@agate/protocol";
import { expandFieldDiff } from "@agate/protocol";
import { printableLine, printableText } from "../../terminal/printable.ts";
import type { Paint } from "../../terminal/terminal.ts";
import { padText, textWidth } from "../../terminal/text-width.ts";
import { formatRevision } from "../client/revision-ref.ts";

/** Longer values get lines of their own. */
const INLINE = 60;

/** How two revisions differ: per route, per field. */
export function* diffLines(diff: ConfigDiff, paint: Paint): Generator<string> {
  const [from, to] = [formatRevision(diff.from), formatRevision(diff.to)].map(printableLine);
  if (diff.routes.length === 0) {
    yield `${from} and ${to} are the same.`;
    return;
  }
  yield `${paint("red", from ?? "")} → ${paint("green", to ?? "")}`;
  for (const { route, fields: changed } of diff.routes) {
    const fields = changed.flatMap(expandFieldDiff);
    yield paint("bold", printableLine(route));
    const width = fields.reduce(
      (widest, { field }) => Math.max(widest, textWidth(printableLine(field))),
      0,
    );
    for (const field of fields) yield* fieldLines(field, width, paint);
  }
}

function* fieldLines(diff: FieldDiff, width: number, paint: Paint): Generator<string> {
  const name = padText(printableLine(diff.field), width);
  const before = diff.change === "added" ? undefined : valueText(diff.from);
  const after = diff.change === "removed" ? undefined : valueText(diff.to);
  if (isShort(before) && isShort(after)) {
    if (before === undefined) yield `  ${paint("green", `+ ${name}  ${after}`)}`;
    else if (after === undefined) yield `  ${paint("red", `- ${name}  ${before}`)}`;
    else yield `  ~ ${name}  ${paint("red", before)} → ${paint("green", after)}`;
    return;
  }
  yield `  ${diff.change === "added" ? "+" : diff.change === "removed" ? "-" : "~"} ${name.trimEnd()}`;
  for (const line of before?.split("\n") ?? []) yield `    ${paint("red", `- ${line}`)}`;
  for (const line of after?.split("\n") ?? []) yield `    ${paint("green", `+ ${line}`)}`;
}

/** Text of several lines as it is, anything else as JSON. */
function valueText(value: unknown): string {
  if (typeof value === "string" && value.includes("\n")) return printableText(value);
  return printableLine(JSON.stringify(value) ?? "");
}

function isShort(text: string | undefined): boolean {
  return text === undefined || (text.length <= INLINE && !text.includes("\n"));
}
