import { afterAll, beforeAll, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../../stores/contract/stored-span.fixture.ts";
import type { TestPlatform } from "../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../testing/test-platform.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
  const [id, parentId] = [spanIdOf(2), spanIdOf(1)];
  await platform.append([
    storedSpan({ traceId: traceIdOf(1), id: parentId, status: "OK" }),
    storedSpan({ traceId: traceIdOf(1), id, parentId, status: "ERROR" }),
    storedSpan({ traceId: traceIdOf(2), id: spanIdOf(3), status: "OK" }),
  ]);
});
afterAll(() => platform.close());

const count = (...ids: readonly string[]) =>
  platform.get(`/observability/failed-spans/?trace_ids=${ids.join(",")}`);

it("counts failed spans by trace, and takes ids as the trace's own address does", async () => {
  const first = traceIdOf(1);
  const answer = await count(first, traceIdOf(2), traceIdOf(3));
  expect([answer.status, answer.json]).toEqual([200, { counts: { [first]: 1 } }]);
  expect((await count(first.toUpperCase())).json).toEqual({ counts: { [first]: 1 } });
  expect((await platform.get("/observability/failed-spans")).json).toEqual({ counts: {} });
});

it.each([
  [100, 200],
  [101, 422],
])("takes %d ids: %d", async (ids, status) => {
  const answer = await count(...Array.from({ length: ids }, (_, n) => traceIdOf(n)));
  expect(answer.status).toBe(status);
  if (status === 422) {
    expect(answer.json.detail).toMatchObject([
      {
        loc: ["query", "trace_ids"],
        type: "out_of_range",
        msg: "Must be 100 ids or fewer (got 101).",
      },
    ]);
  }
});

it("says which id is none", async () => {
  const answer = await count(traceIdOf(1), "not%20an%20id");
  expect(answer.status).toBe(422);
  expect(answer.json.detail).toMatchObject([{ loc: ["query", "trace_ids"], type: "id_invalid" }]);
  expect(answer.json.detail[0].msg).toContain("not an id");
});
