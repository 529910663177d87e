import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { typeErrors } from "./type-errors.ts";

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "agate-types-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

it("have their place, their line and the details of their message", () => {
  const folder = folderWith({ "app(1).ts": "\r\nconst n: number = 'x';\r\n" });
  const output = [
    "app(1).ts(2,7): error TS2322: Type 'string' is not assignable to type 'number'.",
    "  Types differ.",
    "    Deeply.",
    "gone.ts(9,1): error TS1005: ';' expected.",
    "error TS18003: No inputs were found.",
    "",
  ];
  const place = { column: 7, length: 1, lineText: "const n: number = 'x';" };
  expect(typeErrors(folder, output.join("\r\n"))).toEqual([
    {
      message: "TS2322: Type 'string' is not assignable to type 'number'. Types differ. Deeply.",
      hint: null,
      location: { file: "app(1).ts", line: 2, ...place },
    },
    {
      message: "TS1005: ';' expected.",
      hint: null,
      location: { file: "gone.ts", line: 9, column: 1, length: 1, lineText: "" },
    },
    { message: "TS18003: No inputs were found.", hint: null, location: null },
  ]);
});

it("are none where there is nothing but other output", () => {
  expect(typeErrors("/", "Segmentation fault\n  at somewhere\n")).toEqual([]);
});
