import { describe, expect, it } from "vitest";
import type { BuildManifest } from "./build-manifest.ts";
import { buildManifestSchema } from "./build-manifest-schema.ts";

const HASH = "0".repeat(64);
const file = (path: string, sha256 = HASH) => ({ path, size: 1, sha256 });

const MANIFEST: BuildManifest = {
  format: 1,
  application: "support",
  entry: "app.js",
  sdk_version: "0.1.0",
  node: ">=22.15",
  install: { package_manager: "npm", lock_hash: HASH },
  files: ["app.js", "package-lock.json", "package.json", "prompts/a b.txt"].map((path) =>
    file(path),
  ),
};

function problems(manifest: object): string[] {
  const { error } = buildManifestSchema.safeParse(manifest);
  return (error?.issues ?? []).map(({ path }) => path.join("."));
}

describe("the manifest of a build", () => {
  it("is taken as it is", () => {
    expect(buildManifestSchema.parse(MANIFEST)).toEqual(MANIFEST);
    expect(problems({ ...MANIFEST, allow: ["addons", "worker"] })).toEqual([]);
    const withEvals = { evals: "evals.js", files: [...MANIFEST.files, file("evals.js")] };
    expect(problems({ ...MANIFEST, ...withEvals })).toEqual([]);
    expect(problems({ ...MANIFEST, install: null, files: [file("app.js")] })).toEqual([]);
  });

  it.each([
    ["another format", { format: 2 }, "format"],
    ["an entry that is not there", { entry: "other.js" }, "entry"],
    ["an entry outside", { entry: "../app.js" }, "entry"],
    ["eval files that are not there", { evals: "evals.js" }, "evals"],
    ["a field that nobody knows", { more: 1 }, ""],
    ["a file twice", { files: [...MANIFEST.files, file("app.js")] }, "files"],
    ["itself among the files", { files: [...MANIFEST.files, file("agate-build.json")] }, "files"],
    [
      "another lockfile",
      { install: { package_manager: "npm", lock_hash: "1".repeat(64) } },
      "install",
    ],
    [
      "another package manager",
      { install: { package_manager: "pnpm", lock_hash: HASH } },
      "install.package_manager",
    ],
    ["a permission that is none", { allow: ["network"] }, "allow.0"],
    ["a permission twice", { allow: ["worker", "worker"] }, "allow"],
    ["nothing to install from", { files: [file("app.js"), file("package-lock.json")] }, "files"],
    ["a hash that is none", { files: [{ ...file("app.js"), sha256: "0" }] }, "files.0.sha256"],
  ])("is refused with %s", (_, change, place) => {
    expect(problems({ ...MANIFEST, ...change })).toContain(place);
  });

  it.each(["", "/app.js", "a/../b", "./a", "a//b", "a/", "a\\b", "C:/a", "a\nb", "..", "a\u0000"])(
    "is refused with a file at %j",
    (path) => {
      expect(problems({ ...MANIFEST, files: [...MANIFEST.files, file(path)] })).toContain(
        "files.4.path",
      );
    },
  );
});
