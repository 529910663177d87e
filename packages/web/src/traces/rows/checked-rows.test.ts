import { describe, expect, it } from "vitest";
import { type Checks, NO_CHECKS, withAllToggled, withToggled } from "./checked-rows.ts";

const rows = ["a", "b", "c", "d"].map((key) => ({ key }));
const keysOf = ({ keys }: Checks) => [...keys].sort().join("");

describe("checked rows", () => {
  it("are checked and unchecked one by one", () => {
    const one = withToggled(NO_CHECKS, rows, "b", false);
    expect(keysOf(one)).toBe("b");
    expect(keysOf(withToggled(one, rows, "b", false))).toBe("");
  });

  it("are checked from the last one to another, upwards as well, and unchecked alike", () => {
    const down = withToggled(withToggled(NO_CHECKS, rows, "b", false), rows, "d", true);
    expect(keysOf(down)).toBe("bcd");
    expect(keysOf(withToggled(down, rows, "a", true))).toBe("abcd");
    expect(keysOf(withToggled(down, rows, "c", true))).toBe("b");
  });

  it("are checked one by one where the range's beginning is no longer listed", () => {
    const gone = withToggled(NO_CHECKS, [...rows, { key: "e" }], "e", false);
    expect(keysOf(withToggled(gone, rows, "c", true))).toBe("ce");
    expect(keysOf(withToggled(NO_CHECKS, rows, "c", true))).toBe("c");
  });

  it("are all listed ones, then none", () => {
    const some = withToggled(NO_CHECKS, rows, "b", false);
    const all = withAllToggled(some, rows);
    expect(keysOf(all)).toBe("abcd");
    expect(keysOf(withAllToggled(all, rows))).toBe("");
    // A row has arrived since.
    expect(keysOf(withAllToggled(all, [{ key: "z" }, ...rows]))).toBe("abcdz");
  });
});
