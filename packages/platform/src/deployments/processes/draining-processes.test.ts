import { expect, it, vi } from "vitest";
import { longestCallMs } from "./draining-processes.ts";
import {
  lease,
  running,
  saying,
  supervise,
  supervised,
} from "./testing/supervised-build.fixture.ts";

const TEN_MINUTES = 600_000;

/** The description of a workflow with these time-outs of its routes. */
function openapi(...timeouts: readonly unknown[]) {
  const paths = timeouts.map((timeout, n) => [
    `/run/${n}`,
    { post: { "x-ag-route": `/${n}`, "x-ag-timeout": timeout } },
  ]);
  return { paths: { ...Object.fromEntries(paths), "/health": { get: {} } } };
}

it.each([
  ["the longest time-out, and the gateway's grace", openapi(1_000, 20_000, 300), 25_000],
  ["ten minutes where a route has none", openapi(1_000, undefined), TEN_MINUTES],
  ["just less than ten minutes", openapi(TEN_MINUTES - 5_001), TEN_MINUTES - 1],
  ["ten minutes at most", openapi(TEN_MINUTES - 4_999), TEN_MINUTES],
  ["ten minutes where a time-out is none", openapi(1_000, "20"), TEN_MINUTES],
  ["ten minutes without routes", openapi(), TEN_MINUTES],
  ["ten minutes where it describes nothing", { paths: [null, 3, { get: null }] }, TEN_MINUTES],
  ["ten minutes where it is nothing", null, TEN_MINUTES],
])("gives the calls of a replaced build %s", (_, document, expected) => {
  expect(longestCallMs(document)).toBe(expected);
});

it("lets two replaced builds drain, and ends the older one when there is a third", async () => {
  const { supervisor, kinds } = supervise();
  const build = await supervised(1, saying("one"));
  const onTimeUp = [];
  const drains = [];
  for (let number = 1; number <= 4; number++) {
    drains.push(supervisor.switchTo({ ...build, number }, await running(build)));
    const held = await lease(supervisor);
    // As the gateway does: it cuts the request off.
    const cutOff = vi.fn(() => held.release());
    held.holder = { onTimeUp: cutOff };
    onTimeUp.push(cutOff);
    if (number === 3)
      expect(onTimeUp.map((each) => vi.mocked(each).mock.calls.length)).toEqual([0, 0, 0]);
  }
  expect(drains.map(({ requests }) => requests)).toEqual([0, 1, 1, 1]);
  // That of build 1, which the switch to build 2 began.
  expect(await drains[1]?.ended).toBe(1);
  expect(onTimeUp.map((each) => vi.mocked(each).mock.calls.length)).toEqual([1, 0, 0, 0]);
  expect(kinds().filter((kind) => kind.startsWith("stopped"))).toEqual(["stopped 1"]);
  expect(supervisor.requests).toBe(3);
});
