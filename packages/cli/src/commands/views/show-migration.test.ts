import { expect, it } from "vitest";
import { plainPaint } from "../../terminal/plain-paint.fixture.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { showMigration } from "./show-migration.ts";

/** What is shown of a migration, from its beginning to its end. */
function shown(canAnimate: boolean, end: "finished" | "broken"): string[] {
  let text = "";
  const write = (more: string) => {
    text += more;
  };
  const terminal: Terminal = {
    columns: undefined,
    canAsk: false,
    canAnimate,
    paint: plainPaint,
    paintNote: plainPaint,
    unread: new AbortController().signal,
    write: async () => {},
    print: () => {},
    note: (line) => write(`${line}\n`),
    writeNote: write,
  };
  {
    using migration = showMigration(terminal);
    if (end === "finished") {
      migration.copied(0, 400);
      migration.waiting("db: The database is away.");
      migration.copied(400, 400);
      migration.compared(8, 20);
      migration.compared(20, 20);
      migration.finished();
    }
  }
  return text
    .replaceAll("\r\u001b[2K", "\n")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replace(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, "…").replaceAll(/ +\d[\d.]* [mµ]?s\b/g, " TIME"));
}

const BAR = "████████████████████ 100%";

it("is a line for each step in a pipe, and none for a store that cannot be opened", () => {
  expect(shown(false, "finished")).toEqual([
    `✓ copy TIME  ${BAR} 400 of 400 spans`,
    `✓ compare TIME  ${BAR} 20 of 20 traces`,
  ]);
  expect(shown(false, "broken")).toEqual([]);
});

it("shows in a terminal that it is opening the stores", () => {
  expect(shown(true, "broken")).toEqual(["… open TIME", "✗ open TIME"]);
  expect(shown(true, "finished").filter((line) => line.startsWith("✓"))).toEqual([
    "✓ open TIME",
    `✓ copy TIME  ${BAR} 400 of 400 spans`,
    `✓ compare TIME  ${BAR} 20 of 20 traces`,
  ]);
});
