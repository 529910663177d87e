import { expect, it } from "vitest";
import { BuildKeys } from "./build-keys.ts";

function openKeys() {
  const valid = new Set<string>();
  let issued = 0;
  const keys = new BuildKeys(({ id }) => {
    const key = `${id} ${++issued}`;
    valid.add(key);
    return { key, revoke: () => valid.delete(key) };
  });
  return { keys, valid };
}

it("keeps the key of a build that is started again while its last processes end", () => {
  const { keys, valid } = openKeys();
  const key = keys.of({ id: "two", number: 1 });
  const draining = keys.hold("two");
  const starting = keys.hold("two");
  expect(keys.of({ id: "two", number: 1 })).toBe(key);
  // Another build is live until the new processes are ready.
  draining.release("three");
  expect([...valid]).toEqual([key]);
  starting.release("two");
  expect([...valid]).toEqual([key]);
});

it("revokes the key of a build that does not become live, and of one that has ended", () => {
  const { keys, valid } = openKeys();
  keys.of({ id: "refused", number: 1 });
  keys.hold("refused").release("live");
  expect([...valid]).toEqual([]);
  keys.of({ id: "live", number: 1 });
  keys.hold("live").release("next");
  expect([...valid]).toEqual([]);
});

it("counts each holder once", () => {
  const { keys, valid } = openKeys();
  keys.of({ id: "two", number: 1 });
  const [one, other] = [keys.hold("two"), keys.hold("two")];
  one.release("three");
  one.release("three");
  expect(valid.size).toBe(1);
  other.release("three");
  expect(valid.size).toBe(0);
});

it("revokes all", () => {
  const { keys, valid } = openKeys();
  for (const build of ["one", "two"]) keys.of({ id: build, number: 1 });
  keys.revokeAll();
  expect(valid.size).toBe(0);
});
