import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { devCommand } from "../packages/cli/src/commands/dev-command.ts";
import { serveCommand } from "../packages/cli/src/commands/serve-command.ts";

const page = readFileSync(join(import.meta.dirname, "../docs/guide/developing.md"), "utf8");

it.each([
  ["Options", devCommand()],
  ["Without the platform", serveCommand()],
] as [string, ReturnType<typeof devCommand>][])(
  "has every option in “%s”, with its default, and no other",
  (heading, command) => {
    const [, section = ""] =
      new RegExp(`^## ${heading}$(.*?)(?=^## |$(?![\\s\\S]))`, "ms").exec(page) ?? [];
    const documented = [...section.matchAll(/^\| `(--[^`]+)` \| (?:`([^`]*)` )?\|/gm)].map(
      ([, flags, shown]) => ({ flags, default: shown }),
    );
    const actual = command.options.map(({ flags, defaultValue, defaultValueDescription }) => ({
      flags,
      default: defaultValueDescription ?? defaultValue?.toString(),
    }));
    expect(documented).toEqual(actual);
  },
);
