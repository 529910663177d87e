import type { StoredSpan } from "@agate/spans";
import { expect, it } from "vitest";
import { assemble, expectedTree, withoutChildren } from "../contract/expected-tree.fixture.ts";
import { family } from "../contract/family.fixture.ts";
import { looseSegment } from "../contract/loose-segment.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { openPostgresStore } from "./postgres-store.ts";
import { pack } from "./read-segments.ts";
import { SpanDatabase } from "./span-database.ts";

it("reads a trace that an earlier build stored as a single loose segment", async () => {
  const server = await sharedPostgres();
  const address = await server.createDatabase();
  const onFailure = (error: Error) => {
    throw error;
  };
  const store = await openPostgresStore({ address, onFailure });
  const project = "default";
  const spans = family();
  await store.append({ project, receivedAt: 1, spans });

  const database = new SpanDatabase(address, { connections: 1, statementMs: 30_000 });
  const { header, body } = looseSegment(spans);
  const hex = (text: Uint8Array<ArrayBuffer>) => Buffer.from(pack(text)).toString("hex");
  await database.query(
    "UPDATE agate.segments SET header = decode($1, 'hex'), body = decode($2, 'hex')",
    [hex(Buffer.from(header)), hex(body)],
  );
  await database.close();

  const wanted = expectedTree(spans);
  const readTrace = async () =>
    assemble(await store.readTree(project, { kind: "trace", traceId: traceIdOf(1) }));
  expect(await readTrace()).toEqual(wanted);
  const child = await store.readTree(project, { kind: "span", spanId: spanIdOf(2) });
  expect(await assemble(child)).toEqual(wanted.children?.[0]);
  const request = { project, filter: {}, limit: 10, after: null };
  const listed = await store.listSpans(request);
  const [second, third] = wanted.children ?? [];
  const all = [third, second?.children?.[0], second, wanted];
  expect(listed.items.map((item) => JSON.parse(item))).toEqual(
    all.map((record) => record && withoutChildren(record)),
  );
  const traces = await store.listTraces(request);
  expect(traces.items.map((item) => JSON.parse(item))).toEqual([withoutChildren(wanted)]);
  const exported: StoredSpan[] = [];
  for await (const part of store.exportSpans(null)) exported.push(...part.spans);
  expect(exported).toEqual(spans);
  const late = storedSpan({ id: spanIdOf(9), parentId: spanIdOf(1), start: 40 });
  await store.append({ project, receivedAt: 2, spans: [late] });
  expect(await readTrace()).toEqual(expectedTree([...spans, late]));
  await store.close();
}, 60_000);
