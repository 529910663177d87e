import type { IncomingMessage } from "node:http";
import { mustBe, shownValue } from "@agate/protocol";
import type { RowsReading } from "@agate/protocol/testsets";
import { readCsv, readJsonl, rowLine } from "@agate/protocol/testsets";
import * as z from "zod/mini";
import type { RegistryOutcome } from "../../../registry/registry-outcome.ts";
import { rowProblem } from "../../../registry/testsets/commit-rows.ts";
import type { TestSets } from "../../../registry/testsets/test-sets.ts";
import type { Problem } from "../../answer.ts";
import { problemAnswer, problemsAnswer } from "../../answer.ts";
import { integer, name, parsed, text } from "../../inputs/input-kinds.ts";
import { readBody } from "../../inputs/read-body.ts";
import type { Route } from "../../route.ts";
import { content } from "../../route.ts";
import { outcomeAnswer, registryRoute } from "../registry/registry-route.ts";
import { COMMITTED, committedAnswer, UNCHANGED } from "./revisions.ts";
import { READS, TEST_SET, WRITES } from "./test-sets.ts";

const JSONL = "application/jsonl";
const CSV = "text/csv";
/** What a body may be, by its content type. */
const FORMATS: Readonly<Record<string, "jsonl" | "csv">> = {
  [JSONL]: "jsonl",
  "application/x-ndjson": "jsonl",
  [CSV]: "csv",
};
/** Rows that are read at a time for an export. */
const ROWS_PER_READ = 1000;

const columnList = (description: string, example: string) =>
  z.optional(
    parsed({ description, example }, {}, (given) => ({
      kind: "value",
      value: given
        .split(",")
        .map((each) => each.trim())
        .filter(Boolean),
    })),
  );

const importQuery = () =>
  z.object({
    base_revision: z.optional(
      integer(
        { description: "The latest revision, which this one is made from. Without it, any." },
        { least: 0, most: 2 ** 31 - 1 },
      ),
    ),
    message: z.optional(text({ description: "Why, for the history." })),
    id: z.optional(name({ description: "The column of a CSV file that holds the ids." })),
    inputs: columnList("The columns of a CSV file that are inputs.", "text,language"),
    expected: columnList(
      "The columns of a CSV file that are expected: one is the value itself, several become an object.",
      "label",
    ),
  });

/** Test sets as files, in and out. */
export function testSetFileRoutes(testSets: TestSets, maxBodyBytes: number): Route[] {
  return [importRoute(testSets, maxBodyBytes), exportRoute(testSets, maxBodyBytes)];
}

function importRoute(testSets: TestSets, maxBodyBytes: number): Route {
  return registryRoute(maxBodyBytes, {
    method: "POST",
    path: `${TEST_SET}/import`,
    tag: "testsets",
    access: WRITES,
    id: "importTestSet",
    summary: "Import a file into a test set",
    description:
      "Commits the rows of a JSONL or CSV file, which replace those of the latest revision. Rows without an id get the hash of their inputs, so that importing a file again changes nothing.",
    query: importQuery,
    requestBody: { [JSONL]: { type: "string" }, [CSV]: { type: "string" } },
    success: COMMITTED,
    otherwise: [UNCHANGED],
    errors: [
      "revision_stale",
      "rows_invalid",
      "test_set_invalid",
      "body_undecodable",
      "body_too_large",
      "content_type_unsupported",
      "content_encoding_unsupported",
      "request_malformed",
      "text_too_long",
    ],
    answer: async ({ incoming, caller, params, query }, reply) => {
      const file = await readFile(incoming, maxBodyBytes);
      if ("problem" in file) return problemAnswer(file.problem);
      const schema = await testSets.inputSchema(caller.project, params.testset);
      if (schema.kind === "refused") return problemsAnswer(schema.problems);
      const read: RowsReading =
        file.format === "jsonl"
          ? readJsonl(file.text)
          : readCsv(file.text, { ...query, inputSchema: schema.value ?? undefined });
      if (read.kind === "faults") {
        const [first, ...others] = read.faults;
        const problem = (fault: typeof first) => rowProblem(fault, "rows");
        return problemsAnswer([problem(first), ...others.map(problem)]);
      }
      if (read.rows.length === 0) {
        const msg = "The file has no rows. To remove all rows, commit an empty list.";
        return problemAnswer({ type: "rows_invalid", loc: ["body"], msg });
      }
      const commit = {
        change: { kind: "replace", rows: read.rows, lines: read.lines },
        baseRevision: query.base_revision ?? null,
        by: caller.name,
        message: query.message ?? "",
      } as const;
      return committedAnswer(await testSets.commit(caller.project, params.testset, commit), reply);
    },
  });
}

type FileBody =
  | { readonly format: "jsonl" | "csv"; readonly text: string }
  | { readonly problem: Problem };

async function readFile(incoming: IncomingMessage, limit: number): Promise<FileBody> {
  const { "content-type": given, "content-encoding": encoding = "identity" } = incoming.headers;
  const type = (given ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const format = Object.hasOwn(FORMATS, type) ? FORMATS[type] : undefined;
  if (format === undefined) {
    const got = given === undefined ? "no content type" : shownValue(given);
    const msg = mustBe(`${JSONL} or ${CSV}`, got);
    const loc = ["header", "content-type"];
    return { problem: { type: "content_type_unsupported", loc, msg } };
  }
  if (encoding.trim().toLowerCase() !== "identity") {
    const loc = ["header", "content-encoding"];
    const msg = `The body must not be compressed (got ${shownValue(encoding)}).`;
    return { problem: { type: "content_encoding_unsupported", loc, msg } };
  }
  const body = await readBody(incoming, limit);
  switch (body.kind) {
    case "too-large": {
      const msg = `The body is larger than ${limit} bytes.`;
      return { problem: { type: "body_too_large", loc: ["body"], msg } };
    }
    case "broken-off": {
      const msg = "The body ended early.";
      return { problem: { type: "request_malformed", loc: ["body"], msg } };
    }
    case "body":
      return decoded(body.bytes, format);
  }
}

function decoded(bytes: Uint8Array, format: "jsonl" | "csv"): FileBody {
  try {
    return { format, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    const msg = "The body is not UTF-8.";
    return { problem: { type: "body_undecodable", loc: ["body"], msg } };
  }
}

function exportRoute(testSets: TestSets, maxBodyBytes: number): Route {
  return registryRoute(maxBodyBytes, {
    method: "GET",
    path: `${TEST_SET}/revisions/{revision}/export`,
    tag: "testsets",
    access: READS,
    id: "exportTestSet",
    summary: "Export a test set as JSONL",
    description: "A row per line, with its id: importing it again changes nothing.",
    success: content(JSONL, "The rows of the revision."),
    errors: ["number_invalid", "out_of_range"],
    answer: async ({ caller: { project }, params: { testset, revision } }) => {
      const first = await testSets.rows(project, testset, revision, {
        limit: ROWS_PER_READ,
        after: null,
      });
      return outcomeAnswer(first, (page) => ({
        kind: "stream",
        status: 200,
        contentType: JSONL,
        open: () => exportedRows(testSets, project, page),
      }));
    },
  });
}

type Rows = Extract<Awaited<ReturnType<TestSets["rows"]>>, { kind: "done" }>["value"];

async function* exportedRows(
  testSets: TestSets,
  project: string,
  first: Rows,
): AsyncGenerator<Uint8Array, void, void> {
  const { id, revision } = first.testSet;
  for (let page = first; ; ) {
    if (page.items.length > 0)
      yield Buffer.from(page.items.map((row) => `${rowLine(row)}\n`).join(""));
    if (page.next === null) return;
    const request = { limit: ROWS_PER_READ, after: page.next };
    const next: RegistryOutcome<Rows> = await testSets.rows(project, id, revision, request);
    // Half a file must not look whole.
    if (next.kind === "refused") throw new Error("The test set was deleted while it was exported");
    page = next.value;
  }
}
