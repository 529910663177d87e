import type { CopiedRegistry } from "@agate/platform/offline";
import { formatCount, plural } from "@agate/protocol/format";
import { printableLine } from "../../terminal/printable.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { listLines } from "../client/list-lines.ts";

/** Enough to compare two of them by eye; the document has all of it. */
const SHOWN_DIGITS = 16;

/** What was copied, table by table, and that it is the same. */
export function* copiedLines(
  terminal: Terminal,
  { tables, archives }: CopiedRegistry,
): Generator<string> {
  yield* listLines(
    terminal,
    [{ title: "TABLE", least: 12 }, { title: "ROWS", align: "right" }, { title: "SHA-256" }],
    tables.map(({ table, rows, sha256 }) => [
      table,
      formatCount(rows),
      sha256.slice(0, SHOWN_DIGITS),
    ]),
    "",
  );
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const files = archives === 0 ? "" : `, and the files of ${plural(archives, "build")}`;
  yield `Copied ${plural(rows, "row")}${files}. Both registries hold the same.`;
}

/** Which applications do not serve any more. */
export function lostLines({ lost }: CopiedRegistry): string[] {
  return lost.map(({ project, application, build }) =>
    printableLine(
      `Build ${build} of ${application} in the project ${project} served, and its files are gone: it is retired in the copy. Deploy it again.`,
    ),
  );
}

export function copiedDocument({ tables, archives, lost }: CopiedRegistry): string {
  return JSON.stringify({ tables, copied_builds: archives, lost_builds: lost });
}
