import type { ApplicationSchema, ConfigFieldSchema } from "@agate/protocol";
import { fieldType, isNullable, itemCount, pathText } from "@agate/protocol";
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
    const rows = Object.entries(config).flatMap(([name, field]) => rowsOf([name], field));
    const layout = layOutTable(
      [{ title: "" }, { title: "" }, { title: "", least: 8 }, { title: "", least: 8 }],
      rows,
      columns === undefined ? undefined : columns - 2,
    );
    for (const row of rows) yield `  ${tableLine(layout, row, paint)}`;
  }
}

/** A field, and below it those that it has inside. */
function rowsOf(path: readonly string[], field: ConfigFieldSchema): string[][] {
  const { properties = {}, items } = field;
  const isGroup = fieldType(field) === "object";
  const own = [
    pathText(path).replaceAll('["[]"]', "[]"),
    typeText(field),
    // A group's default is those of its fields.
    isGroup && field.default !== null ? "" : (JSON.stringify(field.default) ?? ""),
    boundsOf(field),
  ];
  return [
    own,
    ...Object.entries(properties).flatMap(([name, inner]) => rowsOf([...path, name], inner)),
    ...(items !== undefined && fieldType(items) === "object" ? rowsOf([...path, "[]"], items) : []),
  ];
}

function typeText(field: ConfigFieldSchema): string {
  const { items } = field;
  const type = items === undefined ? fieldType(field) : `${fieldType(items)}[]`;
  return isNullable(field) ? `${type} | null` : type;
}

function boundsOf(field: ConfigFieldSchema): string {
  if (field.enum !== undefined) {
    const choices = field.enum.filter((choice) => choice !== null);
    const shown = choices.slice(0, MOST_CHOICES).join(" | ");
    const rest = choices.length - MOST_CHOICES;
    return rest > 0 ? `${shown} | ${rest} more` : shown;
  }
  return [
    field.minimum === undefined ? "" : `>= ${field.minimum}`,
    field.exclusiveMinimum === undefined ? "" : `> ${field.exclusiveMinimum}`,
    field.maximum === undefined ? "" : `<= ${field.maximum}`,
    field.exclusiveMaximum === undefined ? "" : `< ${field.exclusiveMaximum}`,
    field.minItems === undefined ? "" : `>= ${itemCount(field.minItems)}`,
    field.maxItems === undefined ? "" : `<= ${itemCount(field.maxItems)}`,
  ]
    .filter((bound) => bound !== "")
    .join(", ");
}
