import { isSlug } from "@agate/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { appName } from "./project.ts";

describe("the name of an application that nobody has named", () => {
  it.each([
    ["support", "support"],
    ["@acme/Support Desk", "support-desk"],
    ["Crème_brûlée!", "creme_brulee"],
    ["--a..b__c--", "a.b_c"],
    ["x".repeat(80), "x".repeat(64)],
  ])("is %j made a slug: %s", (name, slug) => {
    expect(appName({ folder: "/work/desk", json: { name } }, {})).toBe(slug);
  });

  it("is the folder's where the package has none that can be used", () => {
    expect(appName({ folder: "/work/My Desk", json: {} }, {})).toBe("my-desk");
    expect(appName({ folder: "/work/desk", json: { name: "@acme/…" } }, {})).toBe("desk");
    expect(appName({ folder: "/", json: {} }, {})).toBeUndefined();
  });

  it("is what the environment says, as it is", () => {
    const project = { folder: "/work/desk", json: { name: "support" } };
    expect(appName(project, { AGATE_APPLICATION: "Not A Slug" })).toBe("Not A Slug");
    expect(appName(project, { AGATE_APPLICATION: "" })).toBe("support");
  });

  it("is a slug, whatever the package is called", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (name) => {
        const slug = appName({ folder: "/", json: { name } }, {});
        expect(slug === undefined || isSlug(slug)).toBe(true);
      }),
    );
  });
});
