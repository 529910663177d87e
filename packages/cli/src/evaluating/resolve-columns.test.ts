import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { resolveColumns } from "./resolve-columns.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agate-columns-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function writeConfig(text: string): void {
  writeFileSync(join(folder, "agate.config.json"), text);
}

async function candidateOf(candidate?: string): Promise<unknown> {
  const place = { folder, application: "app", platform: undefined, note: expect.fail };
  return (await resolveColumns({ candidate }, place)).candidate;
}

const CODE = { kind: "code", target: { by: "code" } };
const variant = (slug: string) => ({ kind: "code", target: { by: "variant", slug } });

describe("a column without a platform", () => {
  it("is this code's own values where no file has others", async () => {
    expect(await candidateOf()).toMatchObject(CODE);
    expect(await candidateOf("default")).toMatchObject(CODE);
    await expect(candidateOf("concise")).rejects.toThrow(
      "--candidate concise: there is no agate.config.json that could have such a variant.",
    );
  });

  it("is a variant of agate.config.json", async () => {
    writeConfig('{"variants":{"default":{},"concise":{}}}');
    expect(await candidateOf()).toMatchObject(variant("default"));
    expect(await candidateOf("concise")).toMatchObject(variant("concise"));
  });

  it("is not a variant that agate.config.json does not have", async () => {
    writeConfig('{"variants":{"concise":{},"thorough":{}}}');
    expect(await candidateOf()).toMatchObject(CODE);
    await expect(candidateOf("consice")).rejects.toThrow("It has concise, thorough.");
    writeConfig('{"variants":{}}');
    await expect(candidateOf("concise")).rejects.toThrow("It has none.");
  });

  it("is refused where agate.config.json is not JSON", async () => {
    writeConfig("{");
    await expect(candidateOf()).rejects.toThrow("agate.config.json cannot be read: ");
  });
});
