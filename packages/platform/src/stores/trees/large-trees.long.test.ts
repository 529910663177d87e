import { afterAll, beforeAll, describe, vi } from "vitest";
import { Subject } from "../contract/subject.fixture.ts";
import { describeTrees } from "../contract/trees.contract.ts";
import type { TreeStore } from "./tree-stores.fixture.ts";
import { TREE_STORES } from "./tree-stores.fixture.ts";

// A statement takes ClickHouse some milliseconds, and a property hundreds of them.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const ARRIVALS = 6;

describe.each(TREE_STORES)("%s, reading every trace in a thread", (_, start) => {
  let database: TreeStore;
  const subject = new Subject(async () => {
    database = await start();
    return database.open(0);
  }, ARRIVALS);
  beforeAll(() => subject.open());
  afterAll(async () => {
    await subject.store.close();
    await database.dispose();
  });

  describeTrees(subject, "all");
});
