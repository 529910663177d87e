import { expect, it } from "vitest";
import { skippedInstallScripts } from "./install-plan.ts";

const lockfile = {
  lockfileVersion: 3,
  packages: {
    "": {},
    "node_modules/plain": { version: "1.0.0" },
    "node_modules/@scope/native": { version: "1.0.0", hasInstallScript: true },
    "node_modules/plain/node_modules/sharp": { version: "1.0.0", hasInstallScript: true },
    "node_modules/sharp": { version: "2.0.0", hasInstallScript: true },
    "node_modules/fsevents": { version: "2.0.0", hasInstallScript: true, optional: true },
  },
};

it("warns of install scripts that the server will not run, each package once", () => {
  expect(skippedInstallScripts({ lockfile }, ["worker"])).toEqual([
    {
      message: "Install scripts will not run on the server: @scope/native, sharp.",
      hint: expect.stringContaining('"agate": {"allow": ["addons"]}'),
      location: null,
    },
  ]);
});

it("is silent where scripts run, or where there are none", () => {
  expect(skippedInstallScripts({ lockfile }, ["addons"])).toEqual([]);
  expect(skippedInstallScripts({ lockfile }, ["child-process"])).toEqual([]);
  expect(skippedInstallScripts({ lockfile: null }, [])).toEqual([]);
  const without = { lockfileVersion: 3, packages: { "node_modules/plain": {} } };
  expect(skippedInstallScripts({ lockfile: without }, [])).toEqual([]);
});
