import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { expectedTree } from "../contract/expected-tree.fixture.ts";
import { family } from "../contract/family.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { Subject } from "../contract/subject.fixture.ts";
import type { TreeStore } from "./tree-stores.fixture.ts";
import { TREE_STORES } from "./tree-stores.fixture.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const FOCUS = { kind: "trace", traceId: traceIdOf(1) } as const;

describe.each(TREE_STORES)(
  "%s, at the number of spans from which on a thread reads",
  (_, start) => {
    let database: TreeStore;
    const subject = new Subject(async () => {
      database = await start();
      return database.open(family().length);
    });
    beforeAll(() => subject.open());
    afterAll(async () => {
      await subject.store.close();
      await database.dispose();
    });

    it("hands over the trace with one span more, and gives the same tree", async () => {
      subject.fresh();
      const spans = family();
      for (const span of spans) await subject.append([span]);
      const read = () => subject.store.readTree(subject.project, FOCUS);
      expect((await read()).kind).toBe("nodes");
      expect(await subject.readTrace()).toEqual(expectedTree(spans));
      const another = storedSpan({ id: spanIdOf(99), parentId: spanIdOf(1) });
      await subject.append([another]);
      const large = await read();
      expect(large.kind).toBe("chunks");
      if (large.kind === "chunks") await large.chunks.return();
      expect(await subject.readTrace()).toEqual(expectedTree([...spans, another]));
    });
  },
);
