import { expect, it } from "vitest";
import { outline, readTrace, spansOf } from "../clients/read-back.ts";
import { startServer } from "../running-server.ts";
import { post } from "./post.ts";
import { spansPrinted } from "./printed.ts";
import { startProgram } from "./running-program.ts";

it("the processor takes the spans of a set-up of OpenTelemetry 1", async () => {
  await using server = await startServer();
  const env = {
    AGATE_BASE_URL: server.url,
    AGATE_CONFIG_FILE: "agate.config.json",
    AGATE_APPLICATION: "geology",
  };
  await using program = await startProgram("old-sdk.ts", { env });
  const { body } = await post(`${program.url}/run/look-up`, { inputs: { stone: "Agate" } });
  const ended = await program.end();
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  const trace = await readTrace(server.url, body.trace_id);
  expect(outline(trace)).toBe(
    ["WORKFLOW invoke_workflow look-up", "  UNKNOWN select", "    TASK describe"].join("\n"),
  );
  expect(trace.children?.[0]).toMatchObject({
    environment: "production",
    variant: { variant_name: "concise", revision: 1 },
    metadata: {
      application: "geology",
      scope: { name: "database", version: "7" },
      attributes: { "db.system": "stones" },
    },
  });
  expect(spansPrinted(ended).map(({ id, parentId }) => [id, parentId])).toEqual(
    spansOf(trace)
      .map(({ id, parent_span_id }) => [id, parent_span_id])
      .reverse(),
  );
});
