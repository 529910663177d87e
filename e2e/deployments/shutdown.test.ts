import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DataFolder, emptyDataFolder } from "../data-folder.ts";
import { startServer } from "../running-server.ts";
import { deployClient } from "./deploy-client.fixture.ts";
import { openPacker, support } from "./pack-workflow.fixture.ts";

const SAY = { inputs: { text: "x" } };
const EVENTS = { accept: "text/event-stream" };

describe("a server with a build", () => {
  let folder: DataFolder;
  const ids: string[] = [];
  beforeAll(async () => {
    folder = await emptyDataFolder();
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  /** The trace of a call whose answer is a stream. */
  const traceOf = (stream: Response) =>
    /^00-(\w{32})-/.exec(stream.headers.get("traceparent") ?? "")![1]!;

  it("finishes calls when it is stopped", async () => {
    await using packer = await openPacker();
    await using server = await startServer({ dataDirectory: folder.path });
    const client = deployClient(server.url);
    await client.mustDeploy(await packer.pack(support("one")), "?environment=production");
    const stream = await client.call("/run/count", { inputs: { most: 40 } }, EVENTS);
    const answers = Array.from({ length: 50 }, () => client.call("/run/say", SAY));
    for (const answer of answers) {
      ids.push(((await (await answer).json()) as { trace_id: string }).trace_id);
    }
    const ended = server.stop();
    expect(await stream.text()).toContain("event: done");
    ids.push(traceOf(stream));
    expect(await ended).toBe(0);
    expect(server.log()).not.toContain("broken off");
  });

  it("has the last spans of the build when it starts again, and serves it without a deploy", async () => {
    await using server = await startServer({ dataDirectory: folder.path });
    for (const id of ids) {
      const response = await fetch(`${server.url}/observability/traces/${id}/`);
      expect(await response.json()).toMatchObject({ metadata: { application: "support" } });
    }
    expect((await deployClient(server.url).call("/run/say", SAY)).status).toBe(200);
  });
});
