import type { SpanRecord } from "@agate/protocol";
import { formatCost, formatCount } from "@agate/protocol/format";
import { printableText } from "../../terminal/printable.ts";
import { renderFields } from "../../terminal/table.ts";
import type { Paint } from "../../terminal/terminal.ts";
import { clippedLine, MOST_CELL_COLUMNS } from "../../terminal/text-width.ts";
import { formatTime } from "../client/times.ts";
import { scoreInFull } from "./score-text.ts";

/** Of each value: more fills the screen without being read. `--json` has everything. */
const MOST_CHARACTERS = 20_000;

/** What was recorded of one span. */
export function* spanDetails(span: SpanRecord, paint: Paint): Generator<string> {
  const { metadata, content, config } = span;
  const { usage } = metadata;
  yield "";
  yield* renderFields(
    (
      [
        ["span", span.id],
        ["parent", span.parent_span_id],
        ["model", metadata.model],
        ["provider", metadata.provider],
        ["input tokens", usage === null ? null : formatCount(usage.input_tokens)],
        ["output tokens", usage === null ? null : formatCount(usage.output_tokens)],
        ["cost", metadata.cost === null ? null : formatCost(metadata.cost)],
      ] as const
    ).filter((field): field is typeof field & readonly [string, string] => field[1] !== null),
    paint,
  );
  yield* block("config", config, paint);
  yield* block("inputs", content.inputs, paint);
  yield* block("internals", content.internals, paint);
  yield* block("outputs", content.outputs, paint);
  const scores = metadata.scores ?? [];
  yield* block("scores", scores.length === 0 ? null : scores.map(scoreInFull).join("\n"), paint);
  for (const { name, time, attributes } of metadata.events) {
    yield* block(
      `event ${clippedLine(name, MOST_CELL_COLUMNS)} ${formatTime(time)}`,
      attributes,
      paint,
    );
  }
  if (Object.keys(metadata.attributes).length > 0) {
    yield* block("attributes", metadata.attributes, paint);
  }
}

/** Text as text, anything else as JSON; nothing where nothing was recorded. */
function* block(title: string, value: unknown, paint: Paint): Generator<string> {
  if (value === null || value === undefined) return;
  yield "";
  yield paint("bold", title);
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  for (const line of printableText(text.slice(0, MOST_CHARACTERS)).split("\n")) yield `  ${line}`;
  const more = text.length - MOST_CHARACTERS;
  if (more > 0) yield paint("dim", `  … ${formatCount(more)} more characters: see --json.`);
}
