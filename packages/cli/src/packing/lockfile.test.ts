import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LockedPackage, locate, type NpmLockfile, reduceLockfile } from "./lockfile.ts";

const NAMES = ["a", "b", "c", "@s/d", "e"] as const;
const APP = "packages/app";

type Packages = Record<string, LockedPackage>;

function lockfileOf(packages: Packages): NpmLockfile {
  return { lockfileVersion: 3, packages };
}

function find(packages: Packages, from: string, name: string): string | undefined {
  return locate((path) => Object.hasOwn(packages, path), from, name);
}

/** The names that a package needs. */
function needs({ dependencies = {} }: LockedPackage): string[] {
  return Object.keys(dependencies);
}

/** Lockfiles of a workspace, as npm lays packages out: hoisted, nested, and below the workspace. */
const lockfiles = fc
  .uniqueArray(
    fc.record({
      place: fc.constantFrom("", APP, ...NAMES.map((name) => `node_modules/${name}`)),
      name: fc.constantFrom(...NAMES),
      needs: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 4 }),
    }),
    { maxLength: 20, selector: ({ place, name }) => `${place} ${name}` },
  )
  .map((entries) => {
    const packages: Packages = { "": {}, [APP]: {} };
    for (const { place, name, needs } of entries) {
      // A package that is not there has nothing inside it.
      if (place.startsWith("node_modules") && !(place in packages)) continue;
      const folder = `${place === "" ? "" : `${place}/`}node_modules/${name}`;
      const dependencies = Object.fromEntries(needs.map((need) => [need, "*"]));
      // Its place is its version: no two are alike.
      packages[folder] = { version: folder, dependencies, dev: true };
    }
    return packages;
  });

describe("a reduced lockfile", () => {
  it("gives every package what it had, and has no other", () => {
    let refusals = 0;
    fc.assert(
      fc.property(lockfiles, fc.subarray([...NAMES]), (packages, names) => {
        const wanted = names
          .filter((name) => find(packages, APP, name) !== undefined)
          .map((name) => ({ name, range: "*", importer: APP }));
        const outcome = reduceLockfile(lockfileOf(packages), wanted);
        if (outcome.kind === "refused") {
          expect(outcome.reason).toContain("cannot be laid out for one program");
          refusals += 1;
          return;
        }
        const reduced = outcome.lockfile.packages as Packages;
        const reached = new Set([""]);
        for (const folder of reached) {
          const old = folder === "" ? APP : String(reduced[folder]?.version);
          const needed =
            folder === "" ? wanted.map(({ name }) => name) : needs(packages[old] ?? {});
          for (const name of needed) {
            const before = find(packages, old, name);
            const now = find(reduced, folder, name);
            // What nobody has installed may be found now; nothing that was there is lost.
            if (before !== undefined) expect(reduced[now ?? ""]?.version).toBe(before);
            if (before !== undefined && now !== undefined) reached.add(now);
          }
        }
        expect([...reached].toSorted()).toEqual(Object.keys(reduced).toSorted());
      }),
      { numRuns: 2_000 },
    );
    expect(refusals).toBeLessThan(100);
  });

  it("is refused where packages would be inside of themselves without end", () => {
    // The program's own e takes the place of the root's, which moves below d. There, the inner versions of d and e
    // hide at each level what the next one needs.
    const packages: Packages = {
      "": {},
      [APP]: {},
      [`${APP}/node_modules/e`]: { version: "1" },
      "node_modules/e": { version: "2", dependencies: { e: "3", d: "2" } },
      "node_modules/e/node_modules/e": { version: "3" },
      "node_modules/d": { version: "2", dependencies: { d: "3", e: "2" } },
      "node_modules/d/node_modules/d": { version: "3" },
    };
    const wanted = ["d", "e"].map((name) => ({ name, range: "*", importer: APP }));
    expect(reduceLockfile(lockfileOf(packages), wanted)).toEqual({
      kind: "refused",
      reason: expect.stringMatching(/would be inside of itself without end\. Run npm dedupe\.$/),
    });
  });

  it("keeps the places of a project that is the root", () => {
    const packages: Packages = {
      "": { dependencies: { a: "1", b: "1" } },
      "node_modules/a": { version: "1", dependencies: { c: "2" } },
      "node_modules/a/node_modules/c": { version: "2", dependencies: { e: "1" } },
      "node_modules/a/node_modules/e": { version: "1" },
      "node_modules/b": { version: "1", dependencies: { c: "1" } },
      "node_modules/c": { version: "1" },
      "node_modules/e": { version: "3" },
    };
    const wanted = ["a", "b"].map((name) => ({ name, range: "1", importer: "" }));
    const outcome = reduceLockfile(lockfileOf(packages), wanted);
    const { "node_modules/e": _unneeded, ...needed } = packages;
    expect(outcome).toMatchObject({ kind: "reduced" });
    if (outcome.kind !== "reduced") return;
    expect(outcome.lockfile.packages).toEqual({
      ...needed,
      "": { name: "agate-build", dependencies: { a: "1", b: "1" } },
    });
  });

  it("has optional packages as optional, and leaves out peers that nobody must have", () => {
    const packages: Packages = {
      "node_modules/a": {
        version: "1",
        optionalDependencies: { b: "1" },
        peerDependencies: { c: "1", e: "1" },
        peerDependenciesMeta: { e: { optional: true } },
      },
      "node_modules/b": { version: "1", devOptional: true, os: ["none"] },
      "node_modules/c": { version: "1", dev: true },
      "node_modules/e": { version: "1", dev: true },
    };
    const wanted = [{ name: "a", range: "1", importer: "" }];
    expect(reduceLockfile(lockfileOf(packages), wanted)).toMatchObject({
      lockfile: {
        packages: {
          "node_modules/a": packages["node_modules/a"],
          "node_modules/b": { version: "1", optional: true, os: ["none"] },
          "node_modules/c": { version: "1" },
        },
      },
    });
    const outcome = reduceLockfile(lockfileOf(packages), wanted);
    expect(JSON.stringify(outcome)).not.toMatch(/node_modules\/e|"dev/);
  });

  it("is refused where a package needs a folder of this machine", () => {
    const packages: Packages = {
      "node_modules/a": { version: "1", dependencies: { b: "1" } },
      "node_modules/b": { link: true, resolved: "packages/b" },
    };
    const outcome = reduceLockfile(lockfileOf(packages), [{ name: "a", range: "1", importer: "" }]);
    expect(outcome).toEqual({
      kind: "refused",
      reason: expect.stringContaining("a needs b, which is the folder packages/b of this machine"),
    });
  });

  it("is refused where it lacks a package", () => {
    const wanted = [{ name: "a", range: "1", importer: "" }];
    expect(reduceLockfile(lockfileOf({}), wanted)).toEqual({
      kind: "refused",
      reason: "a is not in package-lock.json. Run npm install to put it there.",
    });
  });
});
