import fc from "fast-check";
import { expect, it } from "vitest";
import { type KeyUse, Revocation } from "./revocation.ts";

/** A use that notes its name when it is told. */
function use(name: string, told: string[]): KeyUse {
  return { place: 0, onRevoked: () => void told.push(name) };
}

it("tells what uses the key, once, and nothing that has ended before", () => {
  const names = fc.uniqueArray(fc.string(), { maxLength: 20 });
  fc.assert(
    fc.property(names, fc.infiniteStream(fc.nat()), (all, picks) => {
      const told: string[] = [];
      const revocation = new Revocation();
      const uses = new Map(all.map((name) => [name, use(name, told)]));
      for (const each of uses.values()) revocation.add(each);
      const ended = all.filter(() => (picks.next().value ?? 0) % 2 === 0);
      // Removing one twice must not remove another one.
      for (const name of [...ended, ...ended]) revocation.remove(uses.get(name) as KeyUse);
      expect(revocation.isRevoked).toBe(false);
      revocation.revoke();
      revocation.revoke();
      expect(revocation.isRevoked).toBe(true);
      expect(told.toSorted()).toEqual(all.filter((name) => !ended.includes(name)).toSorted());
    }),
  );
});

it("tells one that comes too late at once", () => {
  const told: string[] = [];
  const revocation = new Revocation();
  revocation.revoke();
  revocation.add(use("late", told));
  expect(told).toEqual(["late"]);
});
