import type { Page } from "playwright-core";
import type { SentTrace } from "./sent-trace.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** In the middle of a minute, and of longer slices of time, so that those beside it share its slice. */
export const FIVE_DAYS_AGO = Math.floor(Date.now() / HOUR) * HOUR - 5.5 * DAY + 7.5 * 60_000;

/** One trace of which everything is known, one of which nothing is, and others beside them. */
export const KNOWN_TRACES: readonly SentTrace[] = [
  {
    name: "known",
    application: "columns",
    start: FIVE_DAYS_AGO,
    latency: 1934.567,
    status: { code: 1 },
    attributes: {
      "ag.span.kind": "LLM",
      "ag.route": "/answer",
      "ag.variant.name": "concise",
      "ag.variant.revision": 7,
      "ag.environment": "staging",
      "ag.content.inputs": JSON.stringify({ question: "What is\nagate?" }),
      "ag.content.outputs": JSON.stringify("A banded stone."),
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-5-mini",
      "gen_ai.usage.input_tokens": 1000,
      "gen_ai.usage.cache_read.input_tokens": 400,
      "gen_ai.usage.output_tokens": 100,
      "user.id": "ada",
      "session.id": "talk-1",
    },
  },
  { name: "unknown", application: "columns", start: FIVE_DAYS_AGO - 1000 },
  {
    name: "failed",
    application: "columns",
    start: FIVE_DAYS_AGO - 2000,
    status: { code: 2, message: "The model is <b>tired</b>." },
    attributes: { "ag.span.kind": "AGENT", "ag.environment": "production" },
  },
];

/** The names of the rows that are shown, from above. */
export async function names(page: Page): Promise<readonly string[]> {
  return page.getByRole("grid").getByRole("row").getByRole("link").allInnerTexts();
}

/** The texts of a row's cells, without the one of its checkbox. */
export async function cellsOf(page: Page, name: string): Promise<readonly string[]> {
  const row = page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
  return (await row.getByRole("gridcell").allInnerTexts()).slice(1);
}
