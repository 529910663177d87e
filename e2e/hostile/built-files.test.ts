import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

interface Bill {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } };
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly purl: string;
    readonly licenses?: readonly unknown[];
    readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  }[];
}

describe.each(["cli", "sdk"])("what the build of packages/%s ships", (name) => {
  const dist = join(ROOT, "packages", name, "dist");
  const read = (file: string) => readFileSync(join(dist, file), "utf8");

  it("names no folder of the machine that it was built on", async () => {
    const files = await readdir(dist, { recursive: true, withFileTypes: true });
    const places = [ROOT, join(homedir(), ".npm"), process.execPath].filter(
      (place) => place !== "/",
    );
    // `/root/.npm` is the cache of the Dockerfiles that `agate build` writes, wherever it runs.
    const own = places.filter((place) => place !== "/root/.npm");
    for (const file of files.filter((each) => each.isFile())) {
      const content = await readFile(join(file.parentPath, file.name), "latin1");
      for (const place of own)
        expect([file.name, content.includes(place)]).toEqual([file.name, false]);
    }
  });

  it("has a bill of materials with every package whose licence it carries", () => {
    const bill = JSON.parse(read("sbom.cdx.json")) as Bill;
    const own = JSON.parse(readFileSync(join(dist, "../package.json"), "utf8")) as {
      name: string;
      version: string;
      dependencies: Record<string, string>;
    };
    expect(bill).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6" });
    expect(bill.metadata.component).toMatchObject({ name: own.name, version: own.version });
    const listed = bill.components.map((each) => `${each.name} ${each.version}`);
    const licensed = [...read("THIRD-PARTY-LICENSES.txt").matchAll(/^(\S+ \S+) \(.+\)\n=+$/gm)];
    expect(licensed.length).toBeGreaterThan(3);
    expect(listed).toEqual(expect.arrayContaining(licensed.map(([, title]) => title)));
    // And what npm installs beside it.
    const names = bill.components.map((each) => each.name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(own.dependencies)));
    for (const { purl, hashes, licenses } of bill.components) {
      expect(purl).toMatch(/^pkg:npm\/(?:%40[\w.-]+\/)?[\w.-]+@\d/);
      expect(licenses).toHaveLength(1);
      expect(hashes?.[0]?.content).toMatch(/^[0-9a-f]{128}$/);
    }
  });
});
