import { gzipSync } from "node:zlib";
import { JsonMetricsSerializer, ProtobufMetricsSerializer } from "@opentelemetry/otlp-transformer";
import { emptyResource } from "@opentelemetry/resources";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Dice, mutateBytes, mutateJson } from "../../ingest/otlp/testing/mutations.fixture.ts";
import type { TestPlatform } from "../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../testing/test-platform.fixture.ts";

const TYPES = { protobuf: "application/x-protobuf", json: "application/json" } as const;
type Encoding = keyof typeof TYPES;

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

const TIME = [1_793_534_400, 0] as [number, number];
const point = (value: unknown) => ({ startTime: TIME, endTime: TIME, attributes: {}, value });
const metric = (name: string, dataPointType: number, values: readonly unknown[]) => ({
  descriptor: { name, description: "", unit: "", type: "COUNTER", valueType: 1, advice: {} },
  aggregationTemporality: 1,
  dataPointType,
  isMonotonic: true,
  dataPoints: values.map(point),
});
const HISTOGRAM = {
  buckets: { boundaries: [1], counts: [1, 0] },
  count: 1,
  sum: 1,
};
const EXPONENTIAL = {
  ...HISTOGRAM,
  scale: 1,
  zeroCount: 0,
  positive: { offset: 0, bucketCounts: [1] },
  negative: { offset: 0, bucketCounts: [] },
};
/** Six data points, of each type that the SDK's exporters send: histograms, a gauge and a sum. */
const METRICS = {
  resource: emptyResource(),
  scopeMetrics: [
    {
      scope: { name: "calls" },
      metrics: [metric("histogram", 0, [HISTOGRAM]), metric("exponential", 1, [EXPONENTIAL])],
    },
    { scope: { name: "tokens" }, metrics: [metric("gauge", 2, [1]), metric("sum", 3, [1, 2, 3])] },
  ],
};

function serialize(encoding: Encoding): Uint8Array {
  const { serializeRequest } =
    encoding === "json" ? JsonMetricsSerializer : ProtobufMetricsSerializer;
  return serializeRequest(METRICS as never) as Uint8Array;
}

function post(
  encoding: Encoding,
  body: string | Uint8Array,
  { target = platform, ...headers }: { target?: TestPlatform; [name: string]: unknown } = {},
) {
  const all = { "content-type": TYPES[encoding], ...(headers as Record<string, string>) };
  return target.send({ method: "POST", path: "/v1/metrics", headers: all, body });
}

describe.each(["protobuf", "json"] as const)("metrics as %s", (encoding) => {
  it("are counted, and the first answer says that they are not stored", async () => {
    const target = await startTestPlatform();
    const body = gzipSync(serialize(encoding));
    const first = await post(encoding, body, { target, "content-encoding": "gzip" });
    expect(first.status).toBe(200);
    expect(first.headers["content-type"]).toBe(TYPES[encoding]);
    const { partialSuccess } =
      encoding === "json"
        ? first.json
        : (ProtobufMetricsSerializer.deserializeResponse(first.body) ?? {});
    expect(Number(partialSuccess.rejectedDataPoints)).toBe(6);
    expect(partialSuccess.errorMessage).toMatch(
      /^6 data points rejected: Agate stores no metrics, and this is said once; OTEL_METRICS/,
    );
    const second = await post(encoding, serialize(encoding), { target });
    expect(second.body.toString()).toBe(encoding === "json" ? "{}" : "");
    const counts = (await target.logLines()).map(({ not_kept }) => not_kept);
    expect(counts.filter((count) => count !== undefined)).toEqual([6, 6]);
    await target.close();
  });

  it("without a data point are nothing to speak of", async () => {
    const response = await post(encoding, encoding === "json" ? "{}" : "");
    expect([response.status, response.body.toString()]).toEqual([
      200,
      encoding === "json" ? "{}" : "",
    ]);
  });
});

it("says it to each project", async () => {
  for (const slug of ["red", "blue"]) {
    await platform.registry.projects.create(slug);
    await platform.access.reload();
    const told = async () =>
      (await post("json", serialize("json"), { "agate-project": slug })).json.partialSuccess;
    expect(await told()).toMatchObject({ rejectedDataPoints: "6" });
    expect(await told()).toBeUndefined();
  }
});

it("takes as many values as other requests may have", async () => {
  const most = async (values: number, encoding: Encoding) => {
    const target = await startTestPlatform({ decodeLimits: { values } });
    const { status } = await post(encoding, serialize(encoding), { target });
    await target.close();
    return status;
  };
  // In protobuf: a resource's metrics, two scopes', four metrics and their data.
  expect([await most(11, "protobuf"), await most(10, "protobuf")]).toEqual([200, 413]);
  expect([await most(1000, "json"), await most(10, "json")]).toEqual([200, 413]);
});

describe("damaged requests", () => {
  const protobuf = serialize("protobuf");
  const json = serialize("json");
  it.each([
    ["protobuf", (dice: Dice) => post("protobuf", mutateBytes(dice, protobuf, json))],
    ["JSON bytes", (dice: Dice) => post("json", mutateBytes(dice, json, protobuf))],
    [
      "JSON values",
      (dice: Dice) =>
        post("json", JSON.stringify(mutateJson(dice, JSON.parse(Buffer.from(json).toString())))),
    ],
  ])("are answered, never with 5xx: %s", async (_, send) => {
    for (let seed = 0; seed < 100; seed++) {
      expect([200, 400, 413], `seed ${seed}`).toContain((await send(new Dice(seed))).status);
    }
  });
});
