// Writes the figures of docs/guide/scaling.md: what `npm run bench -- stores` has measured, and the
// capacity plan that follows from it.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StoresRun } from "../bench/stores/figures.ts";
import { storesTable } from "../bench/stores/stores-table.ts";
import { planCapacity, type SizingInputs } from "./capacity-plan.ts";

const root = join(import.meta.dirname, "..");
export const PAGE = join(root, "docs/guide/scaling.md");
const RUN = join(root, "bench/results/stores.json");

const PLANNED = {
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
    "",
    ...run.engines.map(({ description }) => `- ${description}.`),
    "",
    storesTable(run),
  ].join("\n");
}

function planPart(page: string): string {
  return (Object.keys(PLANNED) as Planned[])
    .map((engine) => planTable(engine, readInputs(page, engine)))
    .join("\n");
}

function planTable(engine: Planned, inputs: SizingInputs): string {
  const rows = PLANNED[engine].map((spans) => {
    const plan = planCapacity(spans, inputs);
    const shared = [
      count(spans),
      `${count(plan.spansPerSecond)}; ${count(plan.peakPerSecond)}`,
      count(plan.agatePods),
    ];
    const disk = `${terabytes(plan.diskTbPerCopy)}; ${terabytes(plan.diskTb)}`;
    return engine === "PostgreSQL"
      ? [...shared, `${Math.max(2, Math.ceil(plan.databaseCores))}`, disk]
      : [...shared, count(plan.shards), count(plan.nodes), count(plan.databaseCores), disk];
  });
  const head = ["spans a day", "a second; at the peak", "Agate"];
  const own =
    engine === "PostgreSQL" ? ["cores an instance"] : ["shards", "nodes", "cores busy, a copy"];
  const cells = [...head, ...own, "disk, a copy; in all"];
  const lines = [cells, cells.map(() => "---:"), ...rows].map((row) => `| ${row.join(" | ")} |`);
  return `**${engine}**\n\n${lines.join("\n")}\n`;
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
    engineMicros: figure("processor time of the database, a span"),
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
