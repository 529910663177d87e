import type { ApplicationSchema, ConfigFieldSchema } from "@agate/protocol";
import { printableLine } from "../../terminal/printable.ts";
import { layOutTable, tableLine } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** Of a list of models; the rest are counted. */
const MOST_CHOICES = 6;

/** The routes that the platform knows, with their fields. */
export function* schemaLines(
  { routes }: ApplicationSchema,
  { paint, columns }: Pick<Terminal, "paint" | "columns">,
): Generator<string> {
  for (const { route, config } of routes) {
    yield paint("bold", printableLine(route));
    const rows = Object.entries(config).map(([name, field]) => [
      name,
      field.type,
      JSON.stringify(field.default) ?? "",
      boundsOf(field),
    ]);
    const layout = layOutTable(
      [{ title: "" }, { title: "" }, { title: "", least: 8 }, { title: "", least: 8 }],
      rows,
      columns === undefined ? undefined : columns - 2,
    );
    for (const row of rows) yield `  ${tableLine(layout, row, paint)}`;
  }
}

function boundsOf(field: ConfigFieldSchema): string {
  if (field.enum !== undefined) {
    const shown = field.enum.slice(0, MOST_CHOICES).join(" | ");
    const rest = field.enum.length - MOST_CHOICES;
    return rest > 0 ? `${shown} | ${rest} more` : shown;
  }
  return [
    field.minimum === undefined ? "" : `>= ${field.minimum}`,
    field.exclusiveMinimum === undefined ? "" : `> ${field.exclusiveMinimum}`,
    field.maximum === undefined ? "" : `<= ${field.maximum}`,
    field.exclusiveMaximum === undefined ? "" : `< ${field.exclusiveMaximum}`,
  ]
    .filter((bound) => bound !== "")
    .join(", ");
}
