import { mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ConfigReference, ConfigResolution, ConfigSource } from "./config-source.ts";
import { FakeClock } from "./fake-clock.fixture.ts";
import { fileConfigSource } from "./file-config-source.ts";
import { until } from "./test-registry.fixture.ts";

const PRODUCTION: ConfigReference = {
  by: "environment",
  application: "quickstart",
  environment: "production",
  route: "/summarize",
};

const variant = (name: string, revision: number | null = null): ConfigReference => ({
  by: "variant",
  application: "quickstart",
  variant: name,
  revision,
});

const GOOD = {
  application: "quickstart",
  variants: {
    default: { "/summarize": { temperature: 0.2 }, "/": {} },
    concise: { "/": { a: 1 } },
  },
  environments: { production: "default", staging: { variant: "concise" } },
};

let folder: string;
let path: string;
let clock: FakeClock;
let warnings: string[];
let source: ConfigSource;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "agate-config-file-"));
  path = join(folder, "agate.config.json");
  clock = new FakeClock();
  warnings = [];
  source = fileConfigSource(path, { clock, onWarning: (message) => void warnings.push(message) });
});

afterEach(async () => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  await source.close();
  await rm(folder, { recursive: true });
});

let writes = 0;

async function write(content: unknown): Promise<void> {
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  // Two writes of the same size may fall into one tick of the file system's clock.
  writes += 1;
  await utimes(path, writes, writes);
}

function now(reference = PRODUCTION): ConfigResolution {
  const resolution = source.resolve(reference);
  if (resolution instanceof Promise) throw new Error("It was not answered from memory.");
  return resolution;
}

describe("answers", () => {
  test("an environment names its variant, and a variant maps routes to configurations", async () => {
    await write(GOOD);
    expect(await source.resolve(PRODUCTION)).toEqual({
      kind: "resolved",
      resolved: {
        application: { id: "quickstart", slug: "quickstart" },
        variant: { id: "default", slug: "default", revision: 1 },
        environment: "production",
        params: GOOD.variants.default,
      },
      stale: false,
    });
    expect(now({ ...PRODUCTION, environment: "staging" } as ConfigReference)).toMatchObject({
      resolved: { variant: { slug: "concise" }, environment: "staging" },
    });
    expect(now(variant("concise", 1))).toMatchObject({
      resolved: { variant: { slug: "concise" }, environment: null, params: { "/": { a: 1 } } },
    });
  });

  test("without an application it is for any", async () => {
    await write({ ...GOOD, $schema: "x", application: undefined });
    expect(await source.resolve({ ...PRODUCTION, application: "mine" })).toMatchObject({
      resolved: { application: { id: "mine", slug: "mine" } },
    });
  });

  test.each<[string, ConfigReference, string]>([
    ["application", { ...PRODUCTION, application: "other" }, 'change "application" in the file'],
    [
      "environment",
      { by: "environment", application: "quickstart", environment: "test", route: "/x" },
      '"production", "staging". Add it, as in {"variants":{"default":{"/x":{}}},"environments":{"test":"default"}}',
    ],
    ["variant", variant("terse"), 'no variant "terse". Its variants are "default", "concise"'],
    ["inherited name", variant("__proto__"), 'no variant "__proto__"'],
    ["revision", variant("concise", 2), "leave the revision out"],
  ])("what the file does not have: %s", async (_name, reference, says) => {
    await write(GOOD);
    const resolution = await source.resolve(reference);
    expect(resolution).toEqual({ kind: "not-found", reason: expect.stringContaining(says) });
  });

  test("a missing file: what to write into it, and where else to look", async () => {
    const resolution = await source.resolve(PRODUCTION);
    expect(resolution).toMatchObject({ kind: "not-found" });
    const { reason } = resolution as { reason: string };
    expect(reason).toContain("AGATE_BASE_URL");
    await write(/Write it with (.*), or/.exec(reason)![1]!);
    clock.advance(1_000);
    expect(await source.resolve(PRODUCTION)).toMatchObject({
      resolved: { params: { "/summarize": {} } },
    });
  });

  test("a folder instead of a file", async () => {
    source = fileConfigSource(folder, { clock });
    expect(await source.resolve(PRODUCTION)).toMatchObject({
      kind: "unavailable",
      reason: expect.stringContaining("EISDIR"),
    });
  });

  test("a runtime without a file system", async () => {
    // The reader's code is loaded before: Vitest needs the real process for that.
    await source.resolve(PRODUCTION);
    vi.stubGlobal("process", { env: {} });
    source = fileConfigSource("agate.config.json");
    expect(await source.resolve(PRODUCTION)).toMatchObject({
      kind: "unavailable",
      reason: expect.stringContaining("no file system"),
    });
  });

  test("AGATE_CONFIG_FILE says where it is", async () => {
    vi.stubEnv("AGATE_CONFIG_FILE", path);
    await write(GOOD);
    source = fileConfigSource();
    expect((await source.resolve(PRODUCTION)).kind).toBe("resolved");
  });
});

describe("changes", () => {
  const temperature = (): unknown => {
    const resolution = now();
    if (resolution.kind !== "resolved") throw new Error(resolution.reason);
    return resolution.resolved.params["/summarize"]?.temperature;
  };

  const withTemperature = (value: number) => ({
    ...GOOD,
    variants: { ...GOOD.variants, default: { "/summarize": { temperature: value } } },
  });

  test("an edit is seen after a second, and nobody waits for it", async () => {
    await write(withTemperature(0.2));
    await source.resolve(PRODUCTION);
    await write(withTemperature(0.9));
    clock.advance(999);
    expect(temperature()).toBe(0.2);
    clock.advance(1);
    await until(() => temperature() === 0.9);
  });

  /** Both of the same size, with the same modification time. */
  const writeTwin = async (to: string, value: number): Promise<void> => {
    await writeFile(to, JSON.stringify(withTemperature(value)));
    await utimes(to, 1_000, 1_000);
  };

  test("a symbolic link that leads elsewhere is seen, as when Kubernetes updates a ConfigMap", async () => {
    // A mounted ConfigMap: agate.config.json → ..data/agate.config.json, and ..data → a folder per version.
    for (const [version, value] of [0.2, 0.9].entries()) {
      await mkdir(join(folder, `..v${version}`));
      await writeTwin(join(folder, `..v${version}`, "agate.config.json"), value);
    }
    await symlink("..v0", join(folder, "..data"));
    await symlink("..data/agate.config.json", path);
    await source.resolve(PRODUCTION);
    expect(temperature()).toBe(0.2);
    await symlink("..v1", join(folder, "..data_tmp"));
    await rename(join(folder, "..data_tmp"), join(folder, "..data"));
    clock.advance(1_000);
    await until(() => temperature() === 0.9);
  });

  test("an edit in place is seen, even if its size and modification time are those of before", async () => {
    await writeTwin(path, 0.2);
    await source.resolve(PRODUCTION);
    expect(temperature()).toBe(0.2);
    await writeTwin(path, 0.9);
    clock.advance(1_000);
    await until(() => temperature() === 0.9);
  });

  test("a thousand calls at once read the file once", async () => {
    await write(withTemperature(0.2));
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, () => source.resolve(PRODUCTION)),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });

  test("a file that breaks leaves the last good one in use, and says where it is broken", async () => {
    await write(withTemperature(0.2));
    await source.resolve(PRODUCTION);
    await write('{\n  "variants": {},\n}');
    clock.advance(1_000);
    await until(() => now().kind === "resolved" && (now() as { stale: boolean }).stale);
    expect(temperature()).toBe(0.2);
    expect(warnings).toEqual([
      expect.stringMatching(
        /agate\.config\.json cannot be used\. Line 3, column 1: .* still in use/,
      ),
    ]);
    await write(withTemperature(0.3));
    clock.advance(1_000);
    await until(() => temperature() === 0.3);
    expect(now()).toMatchObject({ stale: false });
  });

  test("a file that is deleted leaves what it said in use", async () => {
    await write(withTemperature(0.2));
    await source.resolve(PRODUCTION);
    await rm(path);
    clock.advance(1_000);
    now();
    await until(() => warnings.length === 1);
    expect(now()).toMatchObject({ kind: "resolved", stale: true });
    expect(warnings[0]).toContain("is gone");
  });

  test("a file that is broken from the start", async () => {
    await write("{");
    expect(await source.resolve(PRODUCTION)).toMatchObject({
      kind: "unavailable",
      reason: expect.stringContaining("Line 1, column 2"),
    });
    expect(warnings).toHaveLength(1);
    await write(GOOD);
    clock.advance(1_000);
    expect((await source.resolve(PRODUCTION)).kind).toBe("resolved");
  });
});
