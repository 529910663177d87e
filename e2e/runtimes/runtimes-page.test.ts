import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PROBES } from "./probes.ts";
import { RUNTIMES, type RuntimeId } from "./runtimes.ts";

const PAGE = join(import.meta.dirname, "../../docs/reference/runtimes.md");
const BEGIN = "<!-- Written by e2e/runtimes/runtimes-page.test.ts: run it with -u. -->\n";
const END = "<!-- End of the written part. -->\n";

/** The table of what works where. The suite proves every cell: a probe passes, or fails where the table has a no. */
function table(): string {
  const ids = Object.keys(RUNTIMES) as RuntimeId[];
  const rows = [
    ["", ...ids.map((id) => RUNTIMES[id].title)],
    ids.concat(ids[0]!).map(() => "---"),
    ...PROBES.map(({ title, fails }) => [title, ...ids.map((id) => fails?.[id] ?? "✓")]),
  ];
  return rows.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

it("the page of the runtimes has the table of the suite", async () => {
  const page = await readFile(PAGE, "utf8");
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  const written = `${before}${BEGIN}\n${table()}\n${END}${after}`;
  await expect(written).toMatchFileSnapshot(PAGE);
});
