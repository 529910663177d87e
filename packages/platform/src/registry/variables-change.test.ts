import { describe, expect, it } from "vitest";
import { readVariablesChange, sizeProblem } from "./variables-change.ts";

function faults(set: Record<string, unknown>, unset: readonly string[] = []): string[] {
  const outcome = readVariablesChange({ set, unset });
  if (outcome.kind === "done") return [];
  return outcome.problems.map(({ type, loc }) => `${type} ${loc.join(".")}`);
}

describe("a change of variables", () => {
  it("takes names as processes have them", () => {
    const names = ["A", "_", "a9", "AGATE", "AGATES", "node_options", "L_D", "PORT2", "MY_HOST"];
    for (const name of names) expect(faults({ [name]: "x" }), name).toEqual([]);
    expect(faults({ ["A".repeat(128)]: "x" })).toEqual([]);
  });

  it("refuses names that Agate or Node use, and what is no name", () => {
    const names = [
      ...["AGATE_API_KEY", "AGATE_", "NODE_OPTIONS", "LD_PRELOAD", "LD_", "PORT", "HOST"],
      ...["", "9A", "A-B", "A B", "A=B", "ä", "A\0", "A".repeat(129)],
    ];
    for (const name of names) {
      expect(faults({ [name]: "x" }), name).toEqual([`variable_invalid body.set.${name}`]);
    }
  });

  it("takes values of 64 KiB in UTF-8, and no more", () => {
    expect(faults({ A: "x".repeat(65_536), B: "ä".repeat(32_768), C: "" })).toEqual([]);
    expect(faults({ A: "x".repeat(65_537) })).toEqual(["variable_invalid body.set.A"]);
    expect(faults({ A: `${"ä".repeat(32_768)}x` })).toEqual(["variable_invalid body.set.A"]);
  });

  it("takes 256 KiB in all and 1000 variables, and no more", () => {
    const size = (lengths: readonly number[]) =>
      sizeProblem({
        version: 1,
        // Each name has 4 characters.
        values: lengths.map((length, n) => ({
          name: `${1000 + n}`,
          value: "x".repeat(length - 4),
          isSecret: true,
        })),
        unreadable: [],
      });
    expect(size([65_536, 65_536, 65_536, 65_536])).toBeUndefined();
    expect(size([65_536, 65_536, 65_536, 65_537])?.msg).toContain("262144 bytes");
    expect(size(Array(1000).fill(4))).toBeUndefined();
    expect(size(Array(1001).fill(4))?.msg).toContain("1000 variables");
  });

  it("refuses values that a process cannot have, without showing them", () => {
    const wrong = ["a\0b", "\ud800", 7, null, ["x"], { value: 7 }, { plain: true }];
    for (const value of [...wrong, { value: "x", plain: 1 }, { value: "x", more: 1 }]) {
      expect(faults({ A: value })).toEqual(["variable_invalid body.set.A"]);
    }
    const shown = JSON.stringify(readVariablesChange({ set: { A: "canary\0" }, unset: [] }));
    expect(shown).not.toContain("canary");
  });

  it("is about each name once", () => {
    expect(faults({ A: "x" }, ["A"])).toEqual(["variable_invalid body.set.A"]);
    expect(readVariablesChange({ set: {}, unset: ["A", "A"] })).toMatchObject({
      value: { unset: ["A"] },
    });
  });
});
