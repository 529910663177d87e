// Writes the tables of docs/reference/statistics.md: how often runs of known truth get each verdict.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { smallestMargin } from "../packages/protocol/src/statistics/index.ts";
import {
  EASY,
  HARD,
  type Population,
  seeded,
  simulateVerdicts,
} from "../packages/protocol/src/statistics/simulated-runs.fixture.ts";

export const PAGE = join(import.meta.dirname, "../docs/reference/statistics.md");

const CASES = [10, 20, 50, 100, 200, 500, 1000];
const TRIALS = [1, 3, 10];
const MARGINS = [0.02, 0.05, 0.1, 0.2];
const RUNS = 1000;
const SEED = 16;

/** Easy and hard cases, 80 % right together; the candidate loses as much on each. */
const mixed: Population = (random, loss, trials) => {
  const rate = random() < EASY.share ? EASY.rate : HARD.rate;
  const draw = (probability: number) =>
    Array.from({ length: trials }, () => (random() < probability ? 1 : 0));
  return { baseline: draw(rate), candidate: draw(rate - loss) };
};

/** The page with its tables made anew; only the rows of up to `mostCases`, where that is given. */
export function renderPage(page: string, mostCases = Number.POSITIVE_INFINITY): string {
  const equal = rows(page, mostCases, (cases, trials) => {
    const shares = simulate(cases, trials, 0);
    return shares.map(({ passed }) => percent(passed));
  });
  const worse = rows(page, mostCases, (cases, trials) => {
    const shares = simulate(cases, trials, 0.1);
    return shares.map(({ passed, failed }) => `${percent(passed)} / ${percent(failed)}`);
  });
  const margins = CASES.map((cases) => `| ${cases} | ${smallestMargin(cases).toFixed(3)} |`);
  return [
    ["margins", ["| cases | smallest margin |", "|---:|---:|", ...margins].join("\n")],
    ["equal", [HEAD, ...equal("equal")].join("\n")],
    ["worse", [HEAD, ...worse("worse")].join("\n")],
  ].reduce((text, [name = "", part = ""]) => withPart(text, name, part), page);
}

const HEAD = [
  `| cases | trials | ${MARGINS.map((margin) => `margin ${margin}`).join(" | ")} |`,
  `|---:|---:|${MARGINS.map(() => "---:").join("|")}|`,
].join("\n");

function simulate(cases: number, trials: number, loss: number) {
  const run = { population: mixed, cases, trials, loss, margins: MARGINS, runs: RUNS };
  return simulateVerdicts(run, seeded(SEED + cases + trials));
}

/** The rows of a table: made anew up to `mostCases`, else as the page has them. */
function rows(
  page: string,
  mostCases: number,
  cells: (cases: number, trials: number) => string[],
): (table: string) => string[] {
  return (table) => {
    const written = partOf(page, table).split("\n");
    return CASES.flatMap((cases) =>
      TRIALS.map((trials) => {
        const start = `| ${cases} | ${trials} |`;
        if (cases > mostCases) return written.find((line) => line.startsWith(start)) ?? start;
        return `${start} ${cells(cases, trials).join(" | ")} |`;
      }),
    );
  };
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

const begin = (name: string) => `<!-- ${name}: written by scripts/statistics-page.ts -->\n`;
const END = "\n<!-- end -->";

function partOf(page: string, name: string): string {
  const [, rest = ""] = page.split(begin(name));
  return rest.split(END)[0] ?? "";
}

function withPart(page: string, name: string, part: string): string {
  const [before = "", rest = ""] = page.split(begin(name));
  return before + begin(name) + part + rest.slice(rest.indexOf(END));
}

if (import.meta.main) writeFileSync(PAGE, renderPage(readFileSync(PAGE, "utf8")));
