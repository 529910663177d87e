// Writes the figures of docs/guide/scaling.md: what `npm run bench -- stores` has measured, and the
// capacity plan that follows from it.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StoresRun } from "../bench/stores/figures.ts";
import { storesTable } from "../bench/stores/stores-table.ts";
import { type CapacityPlan, planCapacity, type SizingInputs } from "./capacity-plan.ts";

const root = join(import.meta.dirname, "..");
export const PAGE = join(root, "docs/guide/scaling.md");
const RUN = join(root, "bench/results/stores.json");

const PLANNED = {
  SQLite: [1e5, 1e6, 1e7],
  PostgreSQL: [1e6, 1e7, 1e8],
  ClickHouse: [1e8, 1e9, 1e10],
} as const;
type Planned = keyof typeof PLANNED;

/** The page with the plan made anew from its figures; these too where a run is given. */
export function renderPage(page: string, run: StoresRun | null): string {
  const measured = run === null ? page : withPart(page, "measured", measuredPart(run));
  return withPart(measured, "plan", planPart(measured));
}

function measuredPart(run: StoresRun): string {
  const { sentBytesPerSpan: bytes = 0 } = run.engines[0] ?? {};
  return [
    `\`${run.command}\` on ${run.date}, ${run.machine}; a span is ${Math.round(bytes)} bytes of protobuf.`,
    ...(run.loadBefore > QUIET * run.cores ? ["", busyMachine(run)] : []),
    "",
    ...run.engines.map(({ description }) => `- ${description}.`),
    "",
    storesTable(run),
  ].join("\n");
}

/** Part of the cores that others may use without a run being worth nothing. */
const QUIET = 0.5;

function busyMachine({ loadBefore, cores }: StoresRun): string {
  return `**A trial, while others used the machine (load ${loadBefore.toFixed(0)} on ${cores} cores): rates and times mean little, and processor time is too high, as in every short run. The plan below follows from it.**`;
}

function planPart(page: string): string {
  return (Object.keys(PLANNED) as Planned[])
    .map((engine) => planTable(engine, readInputs(page, engine)))
    .join("\n");
}

function planTable(engine: Planned, inputs: SizingInputs): string {
  const columns = [
    { head: "spans a day", cell: ({ spansPerDay }: Row) => count(spansPerDay) },
    {
      head: "a second; at the peak",
      cell: ({ plan }: Row) => `${count(plan.spansPerSecond)}; ${count(plan.peakPerSecond)}`,
    },
    ...COLUMNS[engine],
  ];
  const rows = PLANNED[engine].map((spansPerDay) => {
    const row = { spansPerDay, plan: planCapacity(spansPerDay, inputs) };
    return columns.map(({ cell }) => cell(row));
  });
  const lines = [columns.map(({ head }) => head), columns.map(() => "---:"), ...rows];
  return `**${engine}**\n\n${lines.map((line) => `| ${line.join(" | ")} |`).join("\n")}\n`;
}

interface Row {
  readonly spansPerDay: number;
  readonly plan: CapacityPlan;
}
type Column = { readonly head: string; readonly cell: (row: Row) => string };

const SERVERS: Column = { head: "servers of Agate", cell: ({ plan }) => count(plan.agatePods) };
const DISK: Column = {
  head: "disk, a copy; in all",
  cell: ({ plan }) => `${terabytes(plan.diskTbPerCopy)}; ${terabytes(plan.diskTb)}`,
};
const COLUMNS: Readonly<Record<Planned, readonly Column[]>> = {
  SQLite: [
    { head: "cores", cell: ({ plan }) => atLeastTwo(plan.agateCores) },
    { head: "disk", cell: ({ plan }) => terabytes(plan.diskTbPerCopy) },
  ],
  PostgreSQL: [
    SERVERS,
    { head: "cores of an instance", cell: ({ plan }) => atLeastTwo(plan.databaseCores) },
    DISK,
  ],
  ClickHouse: [
    SERVERS,
    { head: "shards", cell: ({ plan }) => count(plan.shards) },
    { head: "nodes", cell: ({ plan }) => count(plan.nodes) },
    { head: "cores for a copy", cell: ({ plan }) => atLeastTwo(plan.databaseCores) },
    DISK,
  ],
};

function atLeastTwo(cores: number): string {
  return count(Math.max(2, Math.ceil(cores)));
}

/** The figures of an engine as the page's table has them. */
function readInputs(page: string, engine: Planned): SizingInputs {
  const rows = partOf(page, "measured")
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const column = rows[0]?.indexOf(engine) ?? -1;
  const figure = (what: string) => {
    const cell = rows.find((row) => row[1]?.endsWith(what))?.[column] ?? "";
    const value = Number.parseFloat(cell.replaceAll(",", "")) * (cell.includes(" ms") ? 1000 : 1);
    if (Number.isNaN(value)) throw new Error(`The page has no figure for ${engine}: ${what}`);
    return value;
  };
  return {
    diskBytes: figure("bytes on disk, a span"),
    serverMicros: figure("processor time of Agate, a span"),
    // SQLite's is in the server's own.
    engineMicros: engine === "SQLite" ? 0 : figure("processor time of the database, a span"),
  };
}

function partOf(page: string, name: string): string {
  const [, part] = bounds(name).exec(page) ?? [];
  if (part === undefined) throw new Error(`The page has no part ${name}`);
  return part;
}

function withPart(page: string, name: string, part: string): string {
  return page.replace(bounds(name), (whole) => whole.replace(partOf(page, name), `\n\n${part}\n`));
}

function bounds(name: string): RegExp {
  return new RegExp(`<!-- ${name}: [^>]*-->(.*?)<!-- end of ${name} -->`, "s");
}

function count(value: number): string {
  const digits = value < 100 ? 0 : Math.max(0, Math.ceil(Math.log10(value)) - 3);
  return (Math.round(value / 10 ** digits) * 10 ** digits).toLocaleString("en");
}

function terabytes(value: number): string {
  return value < 1 ? `${count(value * 1000)} GB` : `${value.toFixed(value < 10 ? 1 : 0)} TB`;
}

if (import.meta.main) {
  const run: StoresRun | null = existsSync(RUN) ? JSON.parse(readFileSync(RUN, "utf8")) : null;
  writeFileSync(PAGE, renderPage(readFileSync(PAGE, "utf8"), run));
}
