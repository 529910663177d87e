import type { IngestRequest } from "../ingest-service.ts";
import { eachOf as eachObject } from "./decode-logs-json.ts";
import { eachOf, within } from "./decode-logs-protobuf.ts";
import { parseJson } from "./decode-otlp-json.ts";
import type { DecodeFailure, DecodeLimits } from "./decode-outcome.ts";
import { decodeSafely } from "./decode-outcome.ts";
import { canonicalName, type JsonObject, JsonReader } from "./json-reader.ts";
import { WireReader } from "./wire-reader.ts";

type CountOutcome = { readonly kind: "counted"; readonly dataPoints: number } | DecodeFailure;

/** Counts the data points of an ExportMetricsServiceRequest. Never throws. */
export function countDataPoints(
  bytes: Uint8Array,
  encoding: IngestRequest["encoding"],
  limits: DecodeLimits,
): CountOutcome {
  const count = encoding === "protobuf" ? countInProtobuf : countInJson;
  return decodeSafely(bytes, () => ({
    kind: "counted" as const,
    dataPoints: count(bytes, limits.values),
  }));
}

// Tags: field number times eight, plus wire type.
const RESOURCE_METRICS = (1 << 3) | 2;
const SCOPE_METRICS = (2 << 3) | 2;
const METRICS = (2 << 3) | 2;
const DATA_POINTS = (1 << 3) | 2;
/** A gauge, sum, histogram, exponential histogram or summary: each has its points in the same field. */
const DATA = new Set([5, 7, 9, 10, 11].map((field) => (field << 3) | 2));

function countInProtobuf(bytes: Uint8Array, maxValues: number): number {
  const reader = new WireReader(bytes, maxValues);
  let count = 0;
  const countPoints = () =>
    within(reader, () =>
      eachOf(reader, DATA_POINTS, () => {
        count++;
        reader.skip(DATA_POINTS);
      }),
    );
  const countMetric = () =>
    within(reader, () => {
      while (reader.pos < reader.end) {
        const tag = reader.tag();
        if (DATA.has(tag)) countPoints();
        else reader.skip(tag);
      }
    });
  eachOf(reader, RESOURCE_METRICS, () =>
    within(reader, () =>
      eachOf(reader, SCOPE_METRICS, () =>
        within(reader, () => eachOf(reader, METRICS, countMetric)),
      ),
    ),
  );
  return count;
}

const DATA_NAMES = new Set(["gauge", "sum", "histogram", "exponentialHistogram", "summary"]);

function countInJson(bytes: Uint8Array, maxValues: number): number {
  const reader = new JsonReader();
  let count = 0;
  const countMetric = (metric: JsonObject) => {
    for (const field in metric) {
      const value = metric[field];
      if (value === null || !DATA_NAMES.has(canonicalName(field))) continue;
      eachObject(reader, reader.object(field, value), "dataPoints", () => {
        count++;
      });
    }
  };
  const request = reader.object("", parseJson(bytes, maxValues));
  eachObject(reader, request, "resourceMetrics", (resource) =>
    eachObject(reader, resource, "scopeMetrics", (scope) =>
      eachObject(reader, scope, "metrics", countMetric),
    ),
  );
  return count;
}
