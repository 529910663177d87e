import { join } from "node:path";
import { AGATE } from "../server-process.ts";
import type { Program } from "./own-processes.ts";
import { PINNED } from "./venv.ts";

/** Where a server runs. */
export interface Place {
  readonly port: number;
  /** A second free one. */
  readonly grpcPort: number;
  /** For its data, empty at first. */
  readonly folder: string;
  /** What it takes for the user's home. */
  readonly home: string;
  readonly venv: string;
}

/** One of the compared products, with SQLite and its defaults unless its comments say otherwise. */
export interface System {
  readonly name: string;
  program(place: Place): Program;
  /** Answers 200 when the server can be used. */
  readonly readyPath: string;
  readonly ingestHeaders: Readonly<Record<string, string>>;
  /** A trace with all its spans and their content, through the product's documented API. */
  tracePath(traceId: string): string;
  /** The ids of the spans in such an answer. */
  spanIds(answer: unknown): readonly string[];
}

const agate: System = {
  name: "Agate",
  program: ({ port, grpcPort, folder, home }) => ({
    program: process.execPath,
    args: [
      AGATE,
      "server",
      ...["--port", String(port), "--otlp-grpc", String(grpcPort), "--data-dir", folder],
    ],
    env: cleanEnvironment(home),
  }),
  readyPath: "/health",
  ingestHeaders: {},
  tracePath: (traceId) => `/observability/traces/${traceId}/`,
  spanIds: (answer) => idsInTree(answer as AgateSpan),
};

interface AgateSpan {
  readonly id: string;
  /** Null where there are none. */
  readonly children: readonly AgateSpan[] | null;
}

function idsInTree({ id, children }: AgateSpan): readonly string[] {
  return [id, ...(children ?? []).flatMap(idsInTree)];
}

const mlflow: System = {
  name: `MLflow ${PINNED.mlflow}`,
  program: ({ port, folder, home, venv }) => ({
    program: join(venv, "bin/mlflow"),
    args: [
      "server",
      ...["--host", "127.0.0.1", "--port", String(port)],
      ...["--backend-store-uri", `sqlite:///${join(folder, "mlflow.db")}`],
      ...["--artifacts-destination", join(folder, "artifacts")],
    ],
    env: {
      ...cleanEnvironment(home),
      // `mlflow` starts the `python` and `uvicorn` that it finds there.
      PATH: `${join(venv, "bin")}:${process.env.PATH}`,
      MLFLOW_DISABLE_TELEMETRY: "true",
      // Its job runners have no part in traces, and leave a folder in /dev/shm behind.
      MLFLOW_SERVER_ENABLE_JOB_EXECUTION: "false",
    },
  }),
  readyPath: "/health",
  // The experiment that every server has.
  ingestHeaders: { "x-mlflow-experiment-id": "0" },
  tracePath: (traceId) => `/api/3.0/mlflow/traces/get?trace_id=tr-${traceId}`,
  spanIds: (answer) =>
    (answer as { trace: { spans?: { span_id: string }[] } }).trace.spans?.map(
      ({ span_id }) => span_id,
    ) ?? [],
};

const phoenix: System = {
  name: `Phoenix ${PINNED["arize-phoenix"]}`,
  program: ({ port, grpcPort, folder, home, venv }) => ({
    program: join(venv, "bin/phoenix"),
    args: ["serve"],
    env: {
      ...cleanEnvironment(home),
      PHOENIX_HOST: "127.0.0.1",
      PHOENIX_PORT: String(port),
      PHOENIX_GRPC_PORT: String(grpcPort),
      PHOENIX_WORKING_DIR: folder,
      PHOENIX_TELEMETRY_ENABLED: "false",
      PHOENIX_ALLOW_EXTERNAL_RESOURCES: "false",
    },
  }),
  readyPath: "/healthz",
  ingestHeaders: {},
  tracePath: (traceId) => `/v1/projects/default/spans?trace_id=${traceId}&limit=1000`,
  spanIds: (answer) =>
    (answer as { data: { context: { span_id: string } }[] }).data.map(
      ({ context }) => context.span_id,
    ),
};

export const SYSTEMS: readonly System[] = [agate, mlflow, phoenix];

/** Without settings of these products that are meant for another server, and with an empty home. */
function cleanEnvironment(home: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(AGATE|MLFLOW|PHOENIX|OTEL|PYTHON)/.test(name),
  );
  return { ...Object.fromEntries(kept), HOME: home, DO_NOT_TRACK: "true" };
}
