import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { EXIT_CODES } from "../packages/cli/src/commands/client/failures.ts";
import { serverCommand } from "../packages/cli/src/commands/server-command.ts";

const page = readFileSync(join(import.meta.dirname, "../docs/guide/running-the-server.md"), "utf8");

it("has every option of `agate server` in the guide, with its default, and no other", () => {
  const documented = [...page.matchAll(/^\| `(--[^`]+)` \| (?:`([^`]*)` )?\|/gm)].map(
    ([, flags, shown]) => ({ flags, default: shown }),
  );
  const actual = serverCommand().options.map((option) => ({
    flags: option.flags,
    default: option.defaultValueDescription ?? option.defaultValue?.toString(),
  }));
  expect(documented).toEqual(actual);
});

it("has the choices of every option that has some", () => {
  for (const { flags, argChoices } of serverCommand().options) {
    const row = page.split("\n").find((line) => line.startsWith(`| \`${flags}\``));
    for (const choice of argChoices ?? []) expect(row).toContain(`\`${choice}\``);
  }
});

it("has every exit code in the guide", () => {
  const documented = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  expect(documented).toEqual(Object.values(EXIT_CODES));
});
