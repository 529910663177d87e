import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadSecretKeys } from "./load-secret-keys.ts";
import { newSecretKey, secretKeyText } from "./secret-keys.ts";

const OWNER = { environmentId: "env_1", name: "TOKEN", version: 1 };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "agate-keys-"));
});
afterEach(() => rm(folder, { recursive: true }));

function load(environment: NodeJS.ProcessEnv, isEmbedded = true) {
  return loadSecretKeys({ environment, dataDirectory: folder, isEmbedded });
}

it("makes a private file beside an embedded registry, with the first secret", async () => {
  const keys = load({});
  expect(await readdir(folder)).toEqual([]);
  const sealed = keys.seal("value", OWNER);
  expect(await readdir(folder)).toEqual(["secret.key"]);
  expect((await stat(join(folder, "secret.key"))).mode & 0o777).toBe(0o600);
  expect(load({}).open(sealed, OWNER)).toEqual({ kind: "opened", value: "value" });

  const before = await readFile(join(folder, "secret.key"), "utf8");
  load({}).seal("value", OWNER);
  expect(await readFile(join(folder, "secret.key"), "utf8")).toBe(before);
});

it("makes none for a shared registry", async () => {
  expect(load({}, false).canSeal).toBe(false);
  expect(await readdir(folder)).toEqual([]);
});

it("takes a variable or a file, and reads the file again for new keys", async () => {
  const [one, two] = [newSecretKey(), newSecretKey()].map(secretKeyText) as [string, string];
  const file = join(folder, "keys");
  await writeFile(file, one);
  const byFile = load({ AGATE_SECRET_KEY_FILE: file }, false);
  const byText = load({ AGATE_SECRET_KEY: `${two},${one}` }, false);
  expect(byText.open(byFile.seal("value", OWNER), OWNER).kind).toBe("opened");
  const newer = byText.seal("value", OWNER);
  expect(byFile.open(newer, OWNER).kind).toBe("unreadable");
  await writeFile(file, `${two}\n${one}\n`);
  expect(byFile.open(newer, OWNER).kind).toBe("opened");
  expect(await readdir(folder)).toEqual(["keys"]);
});

it("refuses a missing or empty file, and two sources", async () => {
  const file = join(folder, "keys");
  expect(() => load({ AGATE_SECRET_KEY_FILE: file })).toThrow(/cannot be read \(ENOENT\)/);
  await writeFile(file, "\n");
  expect(() => load({ AGATE_SECRET_KEY_FILE: file })).toThrow(/is empty/);
  const text = secretKeyText(newSecretKey());
  expect(() => load({ AGATE_SECRET_KEY_FILE: file, AGATE_SECRET_KEY: text })).toThrow(/not both/);
});
