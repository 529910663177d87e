import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ConfigResolution } from "./config-source.ts";
import { defaultConfigSource } from "./default-config-source.ts";
import { TestRegistry } from "./test-registry.fixture.ts";

let registry: TestRegistry;
let folder: string;
let path: string;
const home = process.cwd();

beforeEach(async () => {
  registry = new TestRegistry();
  await registry.listen();
  registry.deploy("production", {}, "from-registry");
  folder = await mkdtemp(join(tmpdir(), "agate-default-source-"));
  path = join(folder, "other.json");
  await write(path, "from-other-file");
  await write(join(folder, "agate.config.json"), "from-usual-file");
  for (const name of ["AGATE_BASE_URL", "AGATE_API_KEY", "AGATE_CONFIG_FILE"]) vi.stubEnv(name, "");
  process.chdir(folder);
});

afterEach(async () => {
  process.chdir(home);
  vi.unstubAllEnvs();
  await registry.die();
  await rm(folder, { recursive: true });
});

async function write(file: string, variant: string): Promise<void> {
  const content = { variants: { [variant]: {} }, environments: { production: variant } };
  await writeFile(file, JSON.stringify(content));
}

async function resolved(
  options: Parameters<typeof defaultConfigSource>[0] = {},
): Promise<ConfigResolution> {
  const source = defaultConfigSource(options);
  const resolution = await source.resolve({
    by: "environment",
    application: "quickstart",
    environment: "production",
  });
  await source.close();
  return resolution;
}

test("AGATE_CONFIG_FILE comes first", async () => {
  vi.stubEnv("AGATE_CONFIG_FILE", path);
  vi.stubEnv("AGATE_BASE_URL", registry.baseUrl);
  expect(await resolved()).toMatchObject({ resolved: { variant: { slug: "from-other-file" } } });
});

test("then the platform at AGATE_BASE_URL, with AGATE_API_KEY", async () => {
  vi.stubEnv("AGATE_BASE_URL", registry.baseUrl);
  vi.stubEnv("AGATE_API_KEY", "key");
  expect(await resolved()).toMatchObject({ resolved: { variant: { slug: "from-registry" } } });
  expect(registry.requests[0]?.headers.get("authorization")).toBe("Bearer key");
});

test("what the app says comes before the environment", async () => {
  vi.stubEnv("AGATE_BASE_URL", "http://127.0.0.1:1");
  const options = { baseUrl: registry.baseUrl, apiKey: "own" };
  expect(await resolved(options)).toMatchObject({
    resolved: { variant: { slug: "from-registry" } },
  });
  expect(registry.requests[0]?.headers.get("authorization")).toBe("Bearer own");
});

test("then agate.config.json in the working directory", async () => {
  expect(await resolved()).toMatchObject({ resolved: { variant: { slug: "from-usual-file" } } });
});
