import type { EngineFigures, StoresRun } from "./figures.ts";

interface Row {
  readonly what: string;
  readonly of: (figures: EngineFigures) => number | null;
  readonly show: (value: number) => string;
}

/** The run as a Markdown table: each figure, and what part of the first engine's it is. */
export function storesTable({ engines }: StoresRun): string {
  const [first] = engines;
  if (first === undefined) return "";
  const rows: readonly Row[] = [
    number("ingest over OTLP, spans/s", ({ ingest }) => ingest.spansPerSecond),
    time("– a batch of 512, p50", ({ ingest }) => ingest.p50),
    time("– a batch of 512, p95", ({ ingest }) => ingest.p95),
    micros("– processor time of Agate, a span", ({ ingest }) => ingest.serverMicros),
    micros("– processor time of the database, a span", ({ ingest }) => ingest.engineMicros),
    number("bulk load into the store, spans/s", (figures) => figures.bulkSpansPerSecond),
    number("bytes on disk, a span", (figures) => figures.diskBytesPerSpan),
    number("– bytes written to the log of changes", (figures) => figures.logBytesPerSpan),
    {
      what: "memory of Agate at most",
      of: (figures) => figures.serverMegabytes,
      show: (value) => `${count(value)} MB`,
    },
    ...first.reads.flatMap(({ what, connections }, n): Row[] => {
      const many = connections > 1;
      const at = many ? `, ${connections} at a time` : "";
      const perSecond = number(`${what}${at}, reads/s`, ({ reads }) => reads[n]?.perSecond ?? null);
      const p50 = time(`${what}, alone, p50`, ({ reads }) => reads[n]?.p50 ?? null);
      const used = micros("– processor time, a read", ({ reads }) => reads[n]?.micros ?? null);
      return many ? [perSecond, used] : [p50, used];
    }),
  ];
  const head = ["", ...engines.map(({ engine }) => NAMES[engine])];
  return [
    line(head),
    line(head.map((_, n) => (n === 0 ? "---" : "---:"))),
    ...rows.map((row) => line([row.what, ...engines.map((figures) => cell(row, figures, first))])),
    "",
  ].join("\n");
}

const NAMES = { sqlite: "SQLite", postgres: "PostgreSQL", clickhouse: "ClickHouse" };

function cell({ of, show }: Row, figures: EngineFigures, first: EngineFigures): string {
  const [value, reference] = [of(figures), of(first)];
  if (value === null) return "–";
  if (figures === first || reference === null) return show(value);
  const ratio = value / reference;
  return `${show(value)} (${ratio < 10 ? ratio.toPrecision(2) : count(ratio)}×)`;
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function number(what: string, of: Row["of"]): Row {
  return { what, of, show: (value) => count(value) };
}

function time(what: string, of: Row["of"]): Row {
  return { what, of, show: milliseconds };
}

function micros(what: string, of: Row["of"]): Row {
  return {
    what,
    of,
    show: (value) => (value < 1000 ? `${short(value)} µs` : milliseconds(value / 1000)),
  };
}

function milliseconds(value: number): string {
  return `${short(value)} ms`;
}

function short(value: number): string {
  return value < 100 ? value.toFixed(1) : count(value);
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}
