import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BrokenCode } from "../../packages/cli/src/packing/bundle-app.ts";
import {
  type AppWatcher,
  type FreshBundle,
  watchApp,
} from "../../packages/cli/src/packing/watch-app.ts";
import { startBuild } from "./running-build.fixture.ts";
import { ECHO, installSdk, makeFolder, type UserFolder } from "./user-project.fixture.ts";

const PART = 'export const said = "one";\n';

let folder: UserFolder;
let watcher: AppWatcher;
let outcomes: (FreshBundle | BrokenCode)[];
let errors: unknown[];

beforeEach(async () => {
  folder = await makeFolder({
    "package.json": { name: "watched", type: "module", dependencies: { left: "1.0.0" } },
    "node_modules/left/package.json": { name: "left", main: "i.js" },
    "node_modules/left/i.js": 'exports.pad = (text) => " " + text;',
    "src/part.ts": PART,
    "src/app.ts": `${ECHO}
      import left from "left";
      import { said } from "./part.ts";
      export const say = ag.route("/say", EchoConfig)(async () => left.pad(said));`,
  });
  await installSdk(folder.path);
  outcomes = [];
  errors = [];
  const opened = await watchApp(folder.at("src/app.ts"), {
    onOutcome: (outcome) => outcomes.push(outcome),
    onError: (error) => errors.push(error),
  });
  if (opened.kind === "refused") throw new Error(opened.reason);
  watcher = opened;
});
afterEach(async () => {
  await watcher[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
  expect(errors).toEqual([]);
});

/** The outcome that follows a change. */
async function outcomeOf(change: () => Promise<unknown>): Promise<FreshBundle | BrokenCode> {
  const before = outcomes.length;
  await change();
  await expect.poll(() => outcomes.length, { interval: 5 }).toBeGreaterThan(before);
  return outcomes.at(-1)!;
}

async function said(outcome: FreshBundle | BrokenCode): Promise<string | undefined> {
  if (outcome.kind === "broken") return undefined;
  return /said = "(.*)"/.exec(await readFile(outcome.entry, "utf8"))?.[1];
}

/** As most editors save: the file is never seen half written. */
async function save(file: string, text: string): Promise<void> {
  await writeFile(`${file}~`, text);
  await rename(`${file}~`, file);
}

describe("a program that is watched", () => {
  it("runs from inside the project, with the packages that are there", async () => {
    expect(outcomes).toMatchObject([{ kind: "bundled", warnings: [] }]);
    const [first] = outcomes as [FreshBundle];
    await using running = await startBuild(folder.path, first.entry);
    expect(await running.call("/say", {})).toBe(" one");
  });

  it("is bundled anew when a file of it is saved, in each way that editors save", async () => {
    const part = folder.at("src/part.ts");
    await outcomeOf(() => writeFile(part, PART.replace("one", "two")));
    await expect.poll(() => said(outcomes.at(-1)!)).toBe("two");
    expect(await said(await outcomeOf(() => save(part, PART.replace("one", "three"))))).toBe(
      "three",
    );
  });

  it("keeps the last good bundle while the code is wrong, and tells where it is wrong", async () => {
    const [first] = outcomes as [FreshBundle];
    const broken = await outcomeOf(() => save(folder.at("src/part.ts"), "export const = 1;"));
    expect(broken).toMatchObject({
      kind: "broken",
      problems: [{ location: { file: "src/part.ts", line: 1, lineText: "export const = 1;" } }],
    });
    expect(await said(first)).toBe("one");
    // Also where the bundle is the one that was there before.
    expect(await outcomeOf(() => save(folder.at("src/part.ts"), PART))).toMatchObject({
      kind: "bundled",
    });
  });

  it("sees files and folders come, change, go and come back", async () => {
    const app = await readFile(folder.at("src/app.ts"), "utf8");
    const deep = folder.at("src/new/deeper/part.ts");
    const imports = app.replace("./part.ts", "./new/deeper/part.ts");
    const make = (word: string) => async () => {
      await mkdir(dirname(deep), { recursive: true });
      await save(deep, PART.replace("one", word));
    };
    expect(await outcomeOf(() => save(folder.at("src/app.ts"), imports))).toMatchObject({
      problems: [{ message: 'Could not resolve "./new/deeper/part.ts"' }],
    });
    await outcomeOf(make("first"));
    await expect.poll(() => said(outcomes.at(-1)!)).toBe("first");
    expect(await said(await outcomeOf(make("second")))).toBe("second");
    await outcomeOf(() => rm(folder.at("src/new"), { recursive: true }));
    await expect.poll(() => outcomes.at(-1)?.kind).toBe("broken");
    await outcomeOf(make("third"));
    await expect.poll(() => said(outcomes.at(-1)!)).toBe("third");
    expect(await said(await outcomeOf(make("fourth")))).toBe("fourth");
  });

  it("notices a dependency that is declared", async () => {
    await folder.write({
      "node_modules/right/package.json": { name: "right", main: "i.js" },
      "node_modules/right/i.js": "",
    });
    const app = await readFile(folder.at("src/app.ts"), "utf8");
    const broken = await outcomeOf(() => save(folder.at("src/app.ts"), `${app}import "right";`));
    expect(broken).toMatchObject({ problems: [{ hint: "Run npm install right." }] });
    const declared = { name: "watched", dependencies: { left: "1.0.0", right: "1.0.0" } };
    const mended = await outcomeOf(() => save(folder.at("package.json"), JSON.stringify(declared)));
    expect(mended.kind).toBe("bundled");
  });

  it("is not started again for files that are none of its sources, or have not changed", async () => {
    await folder.write({ "src/notes.log": "…", "other/file.ts": "1" });
    await save(folder.at("src/part.ts"), PART);
    // What comes after them shows that nothing came of them.
    await outcomeOf(() => save(folder.at("src/part.ts"), PART.replace("one", "last")));
    expect(await Promise.all(outcomes.map(said))).toEqual(["last", "last"]);
    expect(outcomes).toHaveLength(2);
  });
});
