import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { findImportFaults, importsOf } from "./check-imports.ts";
import { PAGE, renderDiagrams } from "./import-diagrams.ts";
import type { PackageRules } from "./import-rules.ts";

const RULES: Readonly<Record<string, PackageRules>> = {
  shop: {
    npm: ["hono"],
    parts: {
      "index.ts": { about: "the entry", imports: ["orders"] },
      orders: { about: "orders", imports: ["stock", "@agate/protocol"], types: ["prices"] },
      prices: { about: "prices" },
      stock: { about: "stock", node: true },
      "stock/ledger": { about: "its ledger" },
    },
  },
};

/** Every edge of the rules, used once. */
const SOUND = {
  "packages/shop/src/index.ts": 'export { order } from "./orders/order.ts";\nimport "hono";\n',
  "packages/shop/src/orders/order.ts":
    'import { count } from "../stock/deep/count.ts";\nimport type { Price } from "../prices/price.ts";\nimport type { Span } from "@agate/protocol";\n',
  "packages/shop/src/stock/count.ts": 'import { join } from "node:path";\n',
};

function faults(files: Record<string, string>): string[] {
  return findImportFaults(new Map(Object.entries({ ...SOUND, ...files })), RULES);
}

it("accepts the edges of the table", () => {
  expect(faults({})).toEqual([]);
});

it.each([
  [
    "an edge that is not in the table",
    "stock/a.ts",
    'import { x } from "../orders/x.ts";',
    "stock may not import orders",
  ],
  [
    "a type over such an edge",
    "stock/a.ts",
    'import type { x } from "../orders/x.ts";',
    "stock may not import orders",
  ],
  [
    "a late import",
    "stock/a.ts",
    'const x = await import("../orders/x.ts");',
    "stock may not import orders",
  ],
  [
    "a re-export",
    "stock/a.ts",
    'export {\n  x,\n  y,\n} from "../orders/x.ts";',
    "stock may not import orders",
  ],
  [
    "a value where only types are allowed",
    "orders/a.ts",
    'import { type x } from "../prices/x.ts";',
    "orders may import its types only",
  ],
  [
    "a part inside another",
    "stock/a.ts",
    'import { x } from "./ledger/x.ts";',
    "stock may not import stock/ledger",
  ],
  [
    "a part from the part inside it",
    "stock/ledger/a.ts",
    'import { x } from "../x.ts";',
    "stock/ledger may not import stock",
  ],
  [
    "Node's modules in a part that runs anywhere",
    "prices/a.ts",
    'import { x } from "node:fs";',
    "prices runs where Node's modules are missing",
  ],
  [
    "a package of npm that is not listed",
    "prices/a.ts",
    'import { x } from "lodash/fp";',
    "prices may not import lodash",
  ],
  [
    "another entry of a package",
    "orders/a.ts",
    'import { x } from "@agate/protocol/schemas";',
    "orders may not import @agate/protocol/schemas",
  ],
  [
    "another package by its path",
    "orders/a.ts",
    'import { x } from "../../../protocol/src/x.ts";',
    "orders may not import packages/protocol/src/x.ts",
  ],
  [
    "a fixture",
    "orders/a.ts",
    'import { x } from "./x.fixture.ts";',
    "orders may not import packages/shop/src/orders/x.fixture.ts",
  ],
])("refuses %s", (_name, file, source, fault) => {
  const [found, ...others] = faults({ [`packages/shop/src/${file}`]: source });
  expect(others).toEqual([]);
  expect(found).toContain(`packages/shop/src/${file} imports`);
  expect(found).toContain(fault);
});

it("lets tests import anything", () => {
  expect(faults({ "packages/shop/src/stock/a.test.ts": 'import "../orders/x.ts";' })).toEqual([]);
});

it("refuses an edge and a package that no import uses", () => {
  expect(faults({ "packages/shop/src/index.ts": "" })).toEqual([
    "import-rules.ts: packages/shop has no import from index.ts to orders; remove the edge",
    "import-rules.ts: packages/shop does not import hono; remove it",
  ]);
});

it("asks for the folder of a new part", () => {
  expect(faults({ "packages/shop/src/returns/a.ts": "" })).toEqual([
    "packages/shop/src/returns/a.ts: add this file's folder to scripts/imports/import-rules.ts",
  ]);
});

it("leaves comments, and texts that only look like imports", () => {
  const source =
    '/** import { a } from "a"; */\n// import "b";\nconst text = \'import { c } from "c"\';\n';
  expect(importsOf(source)).toEqual([]);
});

it("has drawn the diagrams of ARCHITECTURE.md from the table", () => {
  const page = readFileSync(PAGE, "utf8");
  expect(page, "Run scripts/imports/import-diagrams.ts.").toBe(renderDiagrams(page));
});
