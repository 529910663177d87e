import { afterAll, beforeAll, expect, it } from "vitest";
import { COLLECTOR_EXPORTS } from "./collector-exports.fixture.ts";
import {
  callOver,
  type GrpcPlatform,
  openHttp2,
  startGrpcPlatform,
} from "./grpc-platform.fixture.ts";

let grpc: GrpcPlatform;
beforeAll(async () => {
  grpc = await startGrpcPlatform();
});
afterAll(() => grpc[Symbol.asyncDispose]());

it.each(COLLECTOR_EXPORTS)("takes what the Collector sends over $exporter", async (captured) => {
  for (const { path, body } of captured.requests) {
    expect(await send(path, captured.headers, Buffer.from(body, "base64"))).toBe("taken");
  }
  const { json } = await grpc.platform.get("/observability/traces/?limit=1");
  const [{ trace_id: id }] = json.items;
  const trace = await grpc.platform.get(`/observability/traces/${id}`);
  expect(trace.json).toMatchObject({
    name: "root",
    children: [
      {
        spankind: "LLM",
        content: {
          inputs: { messages: [{ role: "user", content: "what is agate number 0" }] },
          outputs: { messages: [{ role: "assistant", content: "a stone" }] },
        },
        metadata: { usage: { input_tokens: 1000, output_tokens: 200 }, cost: 0.00027 },
      },
    ],
  });
  await grpc.platform.send({ method: "DELETE", path: `/observability/traces/${id}` });
});

async function send(
  path: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): Promise<string> {
  if (!path.startsWith("/opentelemetry.")) {
    const { status } = await grpc.platform.send({ method: "POST", path, headers, body });
    return status === 200 ? "taken" : `status ${status}`;
  }
  using session = openHttp2(grpc.port);
  const { status, message } = await callOver(session, { path, headers, chunks: [body] });
  return status === "0" ? "taken" : `${status}: ${message}`;
}
