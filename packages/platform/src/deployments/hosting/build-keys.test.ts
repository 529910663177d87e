import { expect, it } from "vitest";
import { BuildKeys } from "./build-keys.ts";

function openKeys() {
  const valid = new Set<string>();
  let issued = 0;
  const keys = new BuildKeys((buildId) => {
    const key = `${buildId} ${++issued}`;
    valid.add(key);
    return { key, revoke: () => valid.delete(key) };
  });
  return { keys, valid };
}

it("keeps the key of a build that is started again while its last processes end", () => {
  const { keys, valid } = openKeys();
  const key = keys.of("two");
  const draining = keys.hold("two");
  const starting = keys.hold("two");
  expect(keys.of("two")).toBe(key);
  // Another build is live until the new processes are ready.
  draining.release("three");
  expect([...valid]).toEqual([key]);
  starting.release("two");
  expect([...valid]).toEqual([key]);
});

it("revokes the key of a build that does not become live, and of one that has ended", () => {
  const { keys, valid } = openKeys();
  keys.of("refused");
  keys.hold("refused").release("live");
  expect([...valid]).toEqual([]);
  keys.of("live");
  keys.hold("live").release("next");
  expect([...valid]).toEqual([]);
});

it("counts each holder once", () => {
  const { keys, valid } = openKeys();
  keys.of("two");
  const [one, other] = [keys.hold("two"), keys.hold("two")];
  one.release("three");
  one.release("three");
  expect(valid.size).toBe(1);
  other.release("three");
  expect(valid.size).toBe(0);
});

it("revokes all", () => {
  const { keys, valid } = openKeys();
  for (const build of ["one", "two"]) keys.of(build);
  keys.revokeAll();
  expect(valid.size).toBe(0);
});
