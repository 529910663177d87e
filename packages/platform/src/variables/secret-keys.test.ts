import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SecretKey } from "./secret-keys.ts";
import {
  newSecretKey,
  noSecretKeys,
  parseSecretKeys,
  SEAL_PREFIX_LENGTH,
  SecretKeyError,
  SecretKeys,
  secretKeyText,
} from "./secret-keys.ts";

const OWNER = { environmentId: "env_1", name: "TOKEN", version: 3 };

function keysOf(...keys: readonly SecretKey[]): SecretKeys {
  return new SecretKeys({ read: () => keys, create: null });
}

describe("a sealed secret", () => {
  it("opens for its owner alone, whatever the value", () => {
    const keys = keysOf(newSecretKey());
    const owner = fc.record({
      environmentId: fc.string(),
      name: fc.string(),
      version: fc.nat(),
    });
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), owner, owner, (value, own, other) => {
        const sealed = keys.seal(value, own);
        expect(keys.open(sealed, own)).toEqual({ kind: "opened", value });
        const isSame = JSON.stringify(Object.values(own)) === JSON.stringify(Object.values(other));
        if (isSame) return;
        expect(keys.open(sealed, other)).toEqual({ kind: "unreadable", cause: "damaged" });
      }),
    );
  });

  it.each([
    ["environment", { ...OWNER, environmentId: "env_2" }],
    ["name", { ...OWNER, name: "TOKEN2" }],
    ["version", { ...OWNER, version: 4 }],
  ])("does not open in the row of another %s", (_, other) => {
    const keys = keysOf(newSecretKey());
    expect(keys.open(keys.seal("value", OWNER), other).kind).toBe("unreadable");
  });

  it("does not open when any character was changed", () => {
    const keys = keysOf(newSecretKey());
    const sealed = keys.seal("a value", OWNER);
    // The last characters may be padding, which says nothing.
    for (let at = 0; at < sealed.length - 2; at++) {
      const other = sealed[at] === "A" ? "B" : "A";
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
      expect(keys.open(changed, OWNER).kind, `character ${at}`).toBe("unreadable");
    }
    expect(keys.open("", OWNER).kind).toBe("unreadable");
    expect(keys.open("plain", OWNER).kind).toBe("unreadable");
  });

  it("shows nothing of the value, and is another each time", () => {
    const keys = keysOf(newSecretKey());
    const value = "correct horse battery staple";
    const sealed = keys.seal(value, OWNER);
    expect(sealed).not.toContain(Buffer.from(value).toString("base64").slice(0, 8));
    expect(keys.seal(value, OWNER)).not.toBe(sealed);
  });
});

describe("keys", () => {
  it("seal with the first and open with all, those that were added later too", () => {
    const [old, next] = [newSecretKey(), newSecretKey()];
    let stored: readonly SecretKey[] = [old];
    const keys = new SecretKeys({ read: () => stored, create: null });
    const before = keys.seal("value", OWNER);
    const elsewhere = keysOf(next).seal("value", OWNER);
    expect(keys.open(elsewhere, OWNER)).toEqual({ kind: "unreadable", cause: "key-missing" });
    expect(keys.hasKeyOf(elsewhere.slice(0, SEAL_PREFIX_LENGTH))).toBe(false);

    stored = [next, old];
    expect(keys.open(elsewhere, OWNER)).toEqual({ kind: "opened", value: "value" });
    expect(keys.hasKeyOf(elsewhere.slice(0, SEAL_PREFIX_LENGTH))).toBe(true);
    expect([keys.isCurrent(elsewhere), keys.isCurrent(before)]).toEqual([true, false]);
    expect(keys.open(before, OWNER).kind).toBe("opened");
    expect(keysOf(next).open(keys.seal("again", OWNER), OWNER).kind).toBe("opened");
  });

  it("are made where the source makes them, once", () => {
    const made: SecretKey[] = [];
    const create = () => {
      made.push(newSecretKey());
      return made[0] as SecretKey;
    };
    const keys = new SecretKeys({ read: () => made, create });
    expect(keys.canSeal).toBe(true);
    expect(made).toHaveLength(0);
    const sealed = keys.seal("value", OWNER);
    expect(keys.open(sealed, OWNER).kind).toBe("opened");
    keys.seal("value", OWNER);
    expect(made).toHaveLength(1);

    expect(noSecretKeys().canSeal).toBe(false);
    expect(() => noSecretKeys().seal("value", OWNER)).toThrow();
  });

  it("are read from text with commas, spaces and lines between them", () => {
    const three = [newSecretKey(), newSecretKey(), newSecretKey()];
    const [a = "", b = "", c = ""] = three.map(secretKeyText);
    const url = c.replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
    expect(parseSecretKeys(`${a}, ${b}\r\n${url}\n\n`, "X")).toEqual(three);
    expect(parseSecretKeys(" \n", "X")).toEqual([]);
  });

  it.each([
    ["31 bytes", Buffer.alloc(31).toString("base64")],
    ["33 bytes", Buffer.alloc(33).toString("base64")],
    ["no base64", `${"!".repeat(4)}${Buffer.alloc(32).toString("base64")}`],
    ["hex", "0".repeat(64)],
  ])("are refused by a message without the key: %s", (_, text) => {
    const parse = () => parseSecretKeys(text, "AGATE_SECRET_KEY");
    expect(parse).toThrow(SecretKeyError);
    expect(parse).toThrow(/AGATE_SECRET_KEY must be 32 bytes in base64 \(got \d+ characters\)/);
    expect(parse).not.toThrow(text);
  });
});
