import { readRows } from "@agate/protocol/testsets";
import * as z from "zod/mini";
import type { RegistryOutcome } from "../../../registry/registry-outcome.ts";
import { done, refusalOf } from "../../../registry/registry-outcome.ts";
import { rowProblem } from "../../../registry/testsets/commit-rows.ts";
import type { CommittedRows, RowsChange, TestSets } from "../../../registry/testsets/test-sets.ts";
import type { Answer, FullAnswer } from "../../answer.ts";
import { problemAnswer, problemsAnswer } from "../../answer.ts";
import { documented, integer, json, wholeNumber } from "../../inputs/input-kinds.ts";
import type { ComponentValue } from "../../openapi/components.ts";
import type { Route } from "../../route.ts";
import { created, success } from "../../route.ts";
import {
  message,
  outcomeAnswer,
  pageOf,
  pageQuery,
  pageRequest,
  registryRoute,
} from "../registry/registry-route.ts";
import { READS, TEST_SET, testSetLocation, WRITES } from "./test-sets.ts";

/** A commit that changes nothing makes no revision. */
export const UNCHANGED = success("TestSetCommit", "Nothing changed: there is no new revision.");
export const COMMITTED = created("TestSetCommit", "The new revision, and what it changed.");

const ROW_SCHEMA = {
  type: "object",
  properties: {
    id: { type: "string", description: "Without it, a hash of the inputs." },
    inputs: { type: "object" },
    expected: {},
    metadata: { type: "object" },
    tags: { type: "array", items: { type: "string" } },
    source: { type: "object" },
    purged: { const: true },
  },
};

const EXAMPLE_ROWS = [{ inputs: { text: "I was charged twice." }, expected: { label: "billing" } }];

const rowList = (what: string) =>
  z.optional(
    documented(z.array(json({ description: "A row." }, ROW_SCHEMA)), {
      description: what,
      example: EXAMPLE_ROWS,
    }),
  );

const commitBody = () =>
  documented(
    z.strictObject({
      rows: rowList("All rows, in their order: they replace those of the latest revision."),
      upsert: rowList("Rows to replace by their ids, or to append."),
      delete: z.optional(
        documented(z.array(z.string()), { description: "Ids of rows to remove.", example: ["a7"] }),
      ),
      base_revision: wholeNumber(
        { description: "The latest revision, which this one is made from; 0 where there is none." },
        0,
      ),
      message: message(),
    }),
    {
      description: "Either `rows`, or `upsert` and `delete`.",
      example: { upsert: EXAMPLE_ROWS, base_revision: 2, message: "A ticket of today" },
    },
    {
      oneOf: [
        { required: ["rows"] },
        { anyOf: [{ required: ["upsert"] }, { required: ["delete"] }] },
      ],
    },
  );

type CommitBody = z.output<ReturnType<typeof commitBody>>;

/** The revisions of a test set and their rows. */
export function testSetRevisionRoutes(testSets: TestSets, maxBodyBytes: number): Route[] {
  return [
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: `${TEST_SET}/revisions`,
      tag: "testsets",
      access: READS,
      id: "listTestSetRevisions",
      summary: "List the revisions of a test set",
      description: "Newest first, with how many rows each has changed.",
      query: () => pageQuery("revisions"),
      success: success("TestSetRevisionList", "One page. `next_cursor` is null on the last."),
      errors: ["cursor_invalid"],
      answer: async ({ caller, params, query }, reply) =>
        outcomeAnswer(
          await testSets.history(caller.project, params.testset, pageRequest(query)),
          (page) => reply(pageOf("revisions", page)),
        ),
    }),
    commitRoute(testSets, maxBodyBytes),
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: `${TEST_SET}/revisions/{revision}`,
      tag: "testsets",
      access: READS,
      id: "getTestSetRevision",
      summary: "Get a revision of a test set",
      success: success("TestSetRevision", "The revision, without its rows."),
      errors: ["number_invalid", "out_of_range"],
      answer: async ({ caller, params }, reply) =>
        outcomeAnswer(
          await testSets.revision(caller.project, params.testset, params.revision),
          reply,
        ),
    }),
    rowsRoute(testSets, maxBodyBytes),
    diffRoute(testSets, maxBodyBytes),
  ];
}

function commitRoute(testSets: TestSets, maxBodyBytes: number): Route {
  return registryRoute(maxBodyBytes, {
    method: "POST",
    path: `${TEST_SET}/revisions`,
    tag: "testsets",
    access: WRITES,
    id: "commitTestSet",
    summary: "Commit rows to a test set",
    description:
      "Adds a revision with other rows; it never changes afterwards. `rows` replaces all of them, `upsert` and `delete` change some. Refused if a newer revision exists, or if rows do not fit the route that the set is bound to.",
    body: commitBody,
    success: COMMITTED,
    otherwise: [UNCHANGED],
    errors: ["revision_stale", "rows_invalid", "test_set_invalid"],
    answer: async ({ caller, params, body }, reply) => {
      const change = changeOf(body);
      if ("answer" in change) return change.answer;
      if (change.kind === "refused") return problemsAnswer(change.problems);
      const commit = {
        change: change.value,
        baseRevision: body.base_revision,
        by: caller.name,
        message: body.message ?? "",
      };
      const outcome = await testSets.commit(caller.project, params.testset, commit);
      return committedAnswer(outcome, reply);
    },
  });
}

/** 201 for a new revision, else 200. */
export function committedAnswer(
  outcome: RegistryOutcome<CommittedRows>,
  reply: (
    value: ComponentValue<"TestSetCommit">,
    headers?: Readonly<Record<string, string>>,
  ) => FullAnswer,
): Answer {
  return outcomeAnswer(outcome, ({ commit, isNew }) => {
    if (!isNew) return { ...reply(commit), status: UNCHANGED.status };
    const { slug, revision } = commit.test_set;
    return reply(commit, testSetLocation(slug, "revisions", String(revision)));
  });
}

/** The change that a body asks for: all rows, or some. */
function changeOf(body: CommitBody): RegistryOutcome<RowsChange> | { readonly answer: Answer } {
  const isPatch = body.upsert !== undefined || body.delete !== undefined;
  if ((body.rows !== undefined) === isPatch) {
    const msg = "Must have either rows, or upsert and delete.";
    return { answer: problemAnswer({ type: "body_invalid", loc: ["body"], msg }) };
  }
  const list = isPatch ? "upsert" : "rows";
  const read = readRows((body[list] ?? []).map((value) => ({ value, line: null })));
  if (read.kind === "faults") {
    const refusal = refusalOf(read.faults.map((fault) => rowProblem(fault, list)));
    if (refusal !== undefined) return refusal;
    throw new Error("Rows were refused without a reason");
  }
  const { rows } = read;
  return done(
    isPatch
      ? { kind: "patch", upsert: rows, delete: body.delete ?? [] }
      : { kind: "replace", rows, lines: null },
  );
}

function rowsRoute(testSets: TestSets, maxBodyBytes: number): Route {
  return registryRoute(maxBodyBytes, {
    method: "GET",
    path: `${TEST_SET}/revisions/{revision}/rows`,
    tag: "testsets",
    access: READS,
    id: "listTestRows",
    summary: "List the rows of a test set",
    description:
      "Of one revision, in their order. A page ends at `limit` rows or 8 MiB. The rows of `latest` may change between two pages: take the revision of the first.",
    query: () => pageQuery("rows"),
    success: success("TestRowList", "One page. `next_cursor` is null on the last."),
    errors: ["revision_not_found", "cursor_invalid", "number_invalid", "out_of_range"],
    answer: async ({ caller, params: { testset, revision }, query }, reply) => {
      const page = { limit: query.limit, after: query.cursor ?? null };
      return outcomeAnswer(
        await testSets.rows(caller.project, testset, revision, page),
        ({ testSet, ...found }) => reply({ ...pageOf("rows", found), revision: testSet.revision }),
      );
    },
  });
}

const side = (description: string, example: number) =>
  integer(
    { description: `${description} 0 is the empty set.`, example },
    { least: 0, most: 2 ** 31 - 1 },
  );

function diffRoute(testSets: TestSets, maxBodyBytes: number): Route {
  return registryRoute(maxBodyBytes, {
    method: "GET",
    path: `${TEST_SET}/diff`,
    tag: "testsets",
    access: READS,
    id: "diffTestSet",
    summary: "Compare two revisions of a test set",
    description:
      "The rows that were added, changed or removed, in their order; rows that only moved are left out. A page ends at `limit` rows or 8 MiB.",
    query: () =>
      z.extend(pageQuery("differences"), {
        from: side("Number of the revision before.", 1),
        to: side("Number of the revision after.", 2),
      }),
    success: success("TestSetDiff", "One page. `next_cursor` is null on the last."),
    errors: ["revision_not_found", "cursor_invalid"],
    answer: async ({ caller, params, query: { from, to, limit, cursor } }, reply) => {
      const page = { limit, after: cursor ?? null };
      return outcomeAnswer(
        await testSets.diff(caller.project, params.testset, { from, to }, page),
        ({ counts, ...found }) => {
          const { items, next_cursor } = pageOf("differences", found);
          return reply({ from: found.from, to: found.to, ...counts, items, next_cursor });
        },
      );
    },
  });
}
