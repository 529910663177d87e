import { afterAll, beforeAll, expect, it } from "vitest";
import { family } from "../../stores/contract/family.fixture.ts";
import { traceIdOf } from "../../stores/contract/stored-span.fixture.ts";
import type { TestPlatform } from "../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../testing/test-platform.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

it("deletes a trace once, by either spelling of path and id", async () => {
  const uuid = "00000000-0000-0000-0000-000000000001";
  for (const path of [`/observability/traces/${traceIdOf(1)}/`, `/observability/traces/${uuid}`]) {
    await platform.append(family());
    expect((await platform.send({ method: "DELETE", path })).status).toBe(204);
    const again = await platform.send({ method: "DELETE", path });
    expect(again.status).toBe(404);
    expect(again.json.detail).toMatchObject([{ type: "trace_not_found" }]);
    expect((await platform.get(path)).status).toBe(404);
  }
  expect((await platform.get("/observability/spans/")).json.items).toEqual([]);
});

it("answers 422 for what cannot be an id", async () => {
  const response = await platform.send({ method: "DELETE", path: "/observability/traces/a.b/" });
  expect(response.status).toBe(422);
});
