import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ERROR_TYPES } from "./error-types.ts";

const PAGE = new URL("../../../../../docs/reference/errors.md", import.meta.url);

it("lists the same errors in the code and in docs/reference/errors.md", () => {
  const rows = [...readFileSync(PAGE, "utf8").matchAll(/^\| `(\w+)` \| (\d+) \| (.+) \|$/gm)];
  const documented = rows.map(([, type, status, meaning]) => ({
    type,
    status: Number(status),
    meaning,
  }));
  const known = Object.entries(ERROR_TYPES).map(([type, { status, meaning }]) => ({
    type,
    status,
    meaning,
  }));
  expect(documented).toEqual(known);
});

it("has client errors and server errors only", () => {
  for (const { status } of Object.values(ERROR_TYPES)) {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
  }
});

it("never lets the platform's own failures write their message", () => {
  // Those of services are theirs; the operator must read why there is no backup, and which trace is
  // damaged; `not_ready` has a fixed message for each check.
  const explained = [
    "service_failed",
    "service_timeout",
    "service_unavailable",
    "backup_unavailable",
    "trace_damaged",
    "not_ready",
  ];
  for (const [type, { status, message }] of Object.entries(ERROR_TYPES)) {
    if (status >= 500 && !explained.includes(type)) expect(message.kind).toBe("fixed");
  }
});
