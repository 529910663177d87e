import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { glob, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { codeBlocks } from "../../../e2e/code-blocks.ts";
import { createApp } from "./app/create-app.ts";
import { BaseModel } from "./config/base-model.ts";
import { compileConfig } from "./config/compile-config.ts";
import { configJsonSchema } from "./config/config-json-schema.ts";
import {
  bool,
  Field,
  float,
  GroupedMultipleChoice,
  int,
  MultipleChoice,
  str,
} from "./config/field.ts";
import { Messages } from "./config/messages.ts";
import { createTelemetry } from "./tracing/create-telemetry.ts";
import { DEFAULT_EXPORT_LIMITS } from "./tracing/telemetry-options.ts";

const PAGE = "docs/reference/sdk.md";
const root = join(import.meta.dirname, "../../..");
const sdk = join(root, "packages/sdk");
const page = readFileSync(join(root, PAGE), "utf8");

/** The sections of the page, by their headings. */
const sections = new Map(
  page
    .replaceAll(/^```.*?^```$/gms, "")
    .split(/^## /m)
    .map((section) => [section.split("\n", 1)[0], section] as const),
);

function section(heading: string): string {
  const found = sections.get(heading);
  if (found === undefined) throw new Error(`The page has no section ${heading}.`);
  return found;
}

/** Names in backticks: of values in headings, of types in tables of types. */
function namesIn(markdown: string): Names {
  const headings = [...markdown.matchAll(/^### (`.*)$/gm)].flatMap(([, heading = ""]) =>
    [...heading.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
  );
  const tables = [...markdown.matchAll(/^\| type \| \|\n(?:\|.*\n)*/gm)].flatMap(([table]) =>
    [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = ""]) => name),
  );
  return { values: headings.toSorted(), types: tables.toSorted() };
}

interface Names {
  readonly values: readonly string[];
  readonly types: readonly string[];
}

/** What an index file exports. It has nothing but `export { … } from`. */
function exportsOf(file: string): Names {
  const source = readFileSync(join(sdk, "src", file), "utf8").replaceAll(/\/\*.*?\*\//gs, "");
  const values: string[] = [];
  const types: string[] = [];
  for (const [, allTypes, list = ""] of source.matchAll(/^export (type )?\{(.*?)\} from/gms)) {
    for (const specifier of list.split(",").map((each) => each.trim())) {
      if (specifier === "") continue;
      const name = specifier.replace(/^type /, "").replace(/^.* as /, "");
      (allTypes || specifier.startsWith("type ") ? types : values).push(name);
    }
  }
  return { values: values.toSorted(), types: types.toSorted() };
}

describe(`the names of ${PAGE}`, () => {
  const assets = "`@agate/sdk/assets`";
  const client = "`@agate/sdk/client`";
  const evals = "`@agate/sdk/evals`";
  const runner = "`@agate/sdk/runner`";
  const vite = "`@agate/sdk/vite`";

  it("are those of @agate/sdk", () => {
    const entries = [assets, client, evals, runner, vite];
    const others = [...sections].filter(([heading = ""]) => !entries.includes(heading));
    const own = namesIn(others.map(([, markdown]) => markdown).join("\n"));
    const [, list = ""] = /^Also in `@agate\/sdk`: (.*)\.$/m.exec(section(client)) ?? [];
    const also = [...list.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
    const known = exportsOf("client/index.ts");
    const isIn = (names: readonly string[]) => also.filter((name) => names.includes(name));
    expect(also.toSorted()).toEqual([...isIn(known.values), ...isIn(known.types)].toSorted());
    expect({
      values: [...own.values, ...isIn(known.values)].toSorted(),
      types: [...own.types, ...isIn(known.types)].toSorted(),
    }).toEqual(exportsOf("index.ts"));
  });

  it("are those of its other entries", () => {
    expect(namesIn(section(assets))).toEqual(exportsOf("assets/index.ts"));
    expect(namesIn(section(client))).toEqual(exportsOf("client/index.ts"));
    expect(namesIn(section(evals))).toEqual(exportsOf("evals/index.ts"));
    expect(namesIn(section(runner))).toEqual(exportsOf("runner/index.ts"));
    expect(namesIn(section(vite))).toEqual(exportsOf("vite/index.ts"));
  });

  it.each([
    "index.ts",
    "assets/index.ts",
    "client/index.ts",
    "evals/index.ts",
    "runner/index.ts",
    "vite/index.ts",
  ])("are really what %s exports at run time", async (file) => {
    const module: object = await import(join(sdk, "src", file));
    expect(Object.keys(module).toSorted()).toEqual(exportsOf(file).values);
  });
});

it(`${PAGE} has an example for every value`, () => {
  const entries = page.split(/^#{2,3} /m).filter((entry) => /^`\w+`/.test(entry));
  const bare = entries.filter((entry) => !/^```ts\b/m.test(entry));
  expect(bare.map((entry) => entry.split("\n", 1)[0])).toEqual([]);
});

describe("the controls of the playground", () => {
  class EveryKind extends BaseModel {
    str = Field(str, { default: "" });
    int = Field(int, { default: 0 });
    float = Field(float, { default: 0 });
    bool = Field(bool, { default: false });
    MultipleChoice = Field(MultipleChoice({ choices: ["a"] }), { default: "a" });
    GroupedMultipleChoice = Field(GroupedMultipleChoice({ choices: { A: ["a"] } }), {
      default: "a",
    });
    Messages = Field(Messages(), { default: [] });
  }
  const { properties } = configJsonSchema(compileConfig(EveryKind));
  const controls = Object.entries(properties).map(
    ([kind, field]) => [kind, field["x-ag-control"]] as const,
  );

  it.each([
    [PAGE, /^\| `ag\.(\w+)` \|.*\| ([a-z ]+) \|$/gm],
    ["docs/reference/workflow-endpoints.md", /^\| ((?:`\w+`(?:, )?)+) \| `([a-z-]+)` \|/gm],
  ])("are those that %s shows", (file, row) => {
    const documented = [...readFileSync(join(root, file), "utf8").matchAll(row)].flatMap(
      ([, kinds = "", control = ""]) =>
        [...kinds.matchAll(/\w+/g)].map(([kind]) => [kind, control.replaceAll(" ", "-")]),
    );
    expect(documented).toEqual(controls);
  });
});

it(`${PAGE} has the environment variables that the SDK reads, and no other`, async () => {
  const documented = [...section("Environment variables").matchAll(/^\| `([A-Z_]+)` \|/gm)];
  const read = new Set<string>();
  for await (const file of glob("src/**/*.ts", { cwd: sdk })) {
    if (/\.(?:test|fixture)\.ts$/.test(file)) continue;
    const source = await readFile(join(sdk, file), "utf8");
    for (const [, quoted, member] of source.matchAll(
      /"((?:AGATE|OTEL)_[A-Z_]+)"|environment\("([A-Z_]+)"\)/g,
    )) {
      read.add(quoted ?? member!);
    }
  }
  expect(documented.map(([, name]) => name).toSorted()).toEqual([...read].toSorted());
});

describe(`the limits of ${PAGE}`, () => {
  const documented = new Map(
    [...section("Limits").matchAll(/^\| `([\w.]+)` \| ([\d,]+) \|/gm)].map(
      ([, name = "", value = ""]) => [name, Number(value.replaceAll(",", ""))],
    ),
  );

  it("are those of the exporter, a body and content", () => {
    const limits = Object.entries(DEFAULT_EXPORT_LIMITS);
    expect(Object.fromEntries(documented)).toEqual({
      ...Object.fromEntries(limits.map(([name, value]) => [`limits.${name}`, value])),
      maxBodyBytes: expect.any(Number),
      contentLimit: expect.any(Number),
    });
  });

  it("of a body: one byte more is refused", async () => {
    class NoConfig extends BaseModel {}
    const app = createApp();
    app.route("/length", NoConfig)((input: string) => input.length);
    const limit = documented.get("maxBodyBytes")!;
    const statuses = [limit, limit + 1].map(async (bytes) => {
      const body = `{"inputs":"${"a".repeat(bytes - 13)}"}`;
      const headers = { "content-type": "application/json" };
      const url = "http://workflow.test/playground/run/length";
      return (await app.fetch(new Request(url, { method: "POST", headers, body }))).status;
    });
    expect(await Promise.all(statuses)).toEqual([200, 413]);
  });

  it("of content: one character more is cut", () => {
    const limit = documented.get("contentLimit")!;
    const { contentText } = createTelemetry();
    const [whole, cut] = [limit, limit + 1].map((characters) =>
      JSON.parse(contentText("a".repeat(characters - 2), { field: "inputs", span: "" }).text!),
    );
    expect(whole).toHaveLength(limit - 2);
    expect(cut).toMatchObject({ truncated: true, limit });
  });
});

it(`${PAGE} has examples without errors of type`, { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "agate-sdk-reference-"));
  try {
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    await writeExamples(folder);
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const child = spawn(process.execPath, [tsc, "-p", folder, "--pretty", "false"], {
      stdio: ["ignore", "pipe", "inherit"],
      cwd: folder,
    });
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    expect({ said, code }).toEqual({ said: "", code: 0 });
  } finally {
    await rm(folder, { recursive: true });
  }
});

async function writeExamples(folder: string): Promise<void> {
  const examples = codeBlocks(PAGE).filter(({ info }) => /^ts\b/.test(info));
  const shared = examples.find(({ info }) => info === "ts file=app.ts")!.code;
  const names = [...shared.matchAll(/^export (?:class|const|async function) (\w+)/gm)].map(
    ([, name = ""]) => name,
  );
  for (const [index, { info, code }] of examples.entries()) {
    const [, file = `example-${index}.ts`] = / file=(\S+)$/.exec(info) ?? [];
    const isShared = file === "app.ts";
    await writeFile(join(folder, file), isShared ? code : `${importsFor(code, names)}${code}`);
  }
  const compilerOptions = {
    noUnusedLocals: false,
    noUnusedParameters: false,
    paths: {
      "@agate/sdk": [join(sdk, "src/index.ts")],
      "@agate/sdk/assets": [join(sdk, "src/assets/index.ts")],
      "@agate/sdk/client": [join(sdk, "src/client/index.ts")],
      "@agate/sdk/evals": [join(sdk, "src/evals/index.ts")],
      "#serve": [join(sdk, "src/app/serve-module.ts")],
    },
  };
  const project = { extends: join(sdk, "tsconfig.json"), compilerOptions, include: ["*.ts"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(project));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
}

/** What an example uses of the SDK and of the file that all share, and does not bring itself. */
function importsFor(code: string, names: readonly string[]): string {
  const used = names.filter(
    (name) =>
      new RegExp(`(?<![.\\w])${name}\\b`).test(code) &&
      !new RegExp(`(?:class|const|function|import type \\{) ${name}\\b`).test(code),
  );
  return [
    code.includes("import * as ag ") ? "" : 'import * as ag from "@agate/sdk";',
    used.length === 0 ? "" : `import { ${used.join(", ")} } from "./app.ts";`,
    "",
  ].join("\n");
}
