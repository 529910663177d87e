import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { claimOf, DIALECTS } from "./claims.ts";

const page = readFileSync(
  new URL("../../../../docs/reference/span-record.md", import.meta.url),
  "utf8",
);

it.each(DIALECTS.map((dialect) => [dialect.name, dialect] as const))(
  "every attribute that is read as %s is documented",
  (_, dialect) => {
    const names = [
      ...Object.values(dialect.text ?? {}).flat(),
      ...Object.values(dialect.numbers ?? {}).flat(),
      ...[dialect.kind ?? []].flat().map(({ name }) => name),
      ...Object.keys(dialect.parameters ?? {}),
      ...(dialect.parameterPrefixes ?? []).map((prefix) => `${prefix}*`),
      ...(dialect.parameterObjects ?? []),
      ...(dialect.contentNames ?? []),
      ...(dialect.figureNames ?? []),
      ...(dialect.trees ?? []).map((tree) => `${tree}.*`),
      ...(dialect.groups ?? []).map((group) => `${group}.N`),
    ];
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  },
);

it("every attribute that is documented is read", () => {
  const sections = page.slice(page.indexOf("## Attributes by dialect"), page.indexOf("## Prices"));
  const rows = sections.split("\n").filter((line) => line.startsWith("| "));
  const names = rows
    .flatMap((row) => Array.from(row.matchAll(/`([^`]+)`/g), ([, name]) => name as string))
    .filter((name) => name.includes(".") && !name.endsWith("mime_type"))
    .map((name) => name.replace(/\.N$/, ".0.role").replace(/\*$/, "any"));
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name) => claimOf(name) === null)).toEqual([]);
});
