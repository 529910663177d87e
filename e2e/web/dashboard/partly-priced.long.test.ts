import { beforeAll, expect, test } from "vitest";
import { startServer } from "../../running-server.ts";
import { type OtlpSpan, sendOtlp } from "../../send-otlp.ts";
import { withPlatform } from "../with-platform.ts";
import { figure } from "./figure-tile.ts";
import { DAY } from "./known-calls.ts";

const { open, platform } = withPlatform(startServer);
beforeAll(() =>
  sendOtlp(platform().url, [
    ...trace("01", [0.0124, null]),
    ...trace("02", [0.01, 0.02]),
    ...trace("03", [null, null]),
    ...trace("04", []),
  ]),
);

/** A workflow with calls that cost so much each, or whose price is unknown. */
function trace(id: string, costs: readonly (number | null)[]): readonly OtlpSpan[] {
  const start = Date.parse("2025-03-10T10:00:00Z") + Number(id) * 60_000;
  const top = { traceId: id.padStart(32, "d"), spanId: `${id}00`.padStart(16, "e") };
  const calls = costs.map((cost, n) => ({
    traceId: top.traceId,
    spanId: `${id}1${n}`.padStart(16, "e"),
    parentSpanId: top.spanId,
    name: `chat ${n}`,
    start: start + n * 10,
    end: start + n * 10 + 9,
    attributes: {
      "ag.span.kind": "LLM",
      "ag.usage.input_tokens": 100,
      "ag.usage.output_tokens": 10 + n,
      ...(cost !== null && { "ag.cost": cost }),
    },
  }));
  const attributes = { "ag.span.kind": "WORKFLOW", "ag.application": "shop" };
  return [{ ...top, name: `call ${id}`, start, end: start + 100, attributes }, ...calls];
}

const RANGE = `from=${DAY.from}&to=${DAY.to}`;

test("a cost of some calls is shown as such in the list, the trace and the dashboard", async () => {
  await using web = await open(`/traces?${RANGE}`);
  const { page } = web;
  await page.getByText("End of list · 4 traces").waitFor();
  const cost = (name: string) =>
    page.getByRole("row", { name }).locator("[title*='ost'], [title^='$']");
  const shown = async (name: string) => {
    const cell = cost(name).last();
    return [await cell.textContent(), await cell.getAttribute("title")];
  };
  expect(await shown("call 01")).toEqual(["≥ $0.012", "$0.0124, 1 call without a price"]);
  expect(await shown("call 02")).toEqual(["$0.030", "$0.03"]);
  expect(await shown("call 03")).toEqual(["–", "Cost unknown, 2 calls without a price"]);
  expect(await shown("call 04")).toEqual(["–", "Cost unknown"]);
  await web.expectAccessible();

  await page.getByRole("row", { name: "call 01" }).getByRole("link").first().click();
  await page.getByText("≥ $0.012 · 1 call without a price").waitFor();
  await web.expectAccessible();

  await web.open(`/?${RANGE}`);
  await expect
    .poll(() => figure(page, "Cost"))
    .toEqual(["Cost", "≥ $0.042", "–", "$0.030 per call (1 of 4 priced)"]);
  await page.getByRole("row", { name: /^shop/ }).getByText("1 of 4 calls, 1 in part").waitFor();
  await web.expectAccessible();
  await web.look({ width: 390, theme: "dark" });
  await web.expectNoOverflow();
  web.expectNoFaults();
});
