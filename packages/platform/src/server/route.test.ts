import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod/mini";
import type { Caller } from "../access/caller.ts";
import {
  amount,
  choice,
  integer,
  matching,
  name,
  orNull,
  parsed,
  text,
  wholeNumber,
} from "./inputs/input-kinds.ts";
import type { Route } from "./route.ts";
import { content, noContent, route, success } from "./route.ts";

/** Asks a route; the body of the answer is parsed. */
async function ask(asked: Route, given: { params?: object; query?: string; body?: string } = {}) {
  const headers =
    given.body === undefined
      ? {}
      : {
          "content-type": "application/json",
          "content-length": String(Buffer.byteLength(given.body)),
        };
  const incoming = Object.assign(
    Readable.from(given.body === undefined ? [] : [Buffer.from(given.body)]),
    { headers },
  );
  const answer = await asked.handle({
    incoming: incoming as unknown as IncomingMessage,
    outgoing: {} as ServerResponse,
    params: (given.params ?? {}) as Record<string, string>,
    query: given.query ?? "",
  });
  if (answer.kind !== "full") throw new Error("A stream was not expected");
  const { status, body } = answer;
  return { status, json: body === "" ? null : JSON.parse(String(body)) };
}

const DOC = {
  method: "POST",
  path: "/x",
  access: "public",
  id: "x",
  tag: "platform",
  summary: "X",
  errors: [],
} as const;

const ofQuery = route({
  ...DOC,
  query: () =>
    z.object({
      limit: z._default(integer({ description: "How many." }, { least: 1, most: 10 }), 5),
      cost: z.optional(amount({ description: "Dollars." })),
      kind: z.optional(choice({ description: "Kind." }, ["a", "b", "c"])),
      only: z.optional(choice({ description: "Only." }, ["a"])),
      word: z.optional(text({ description: "Word." }, 3)),
      even: z.optional(
        parsed({ description: "Even." }, {}, (given) =>
          Number(given) % 2 === 0
            ? { kind: "value", value: Number(given) }
            : { kind: "problem", type: "interval_invalid", msg: "Takes an even number." },
        ),
      ),
      needed: name({ description: "What is needed." }),
    }),
  success: content("application/json", "All."),
  answer: ({ query, caller }) => {
    expectTypeOf(caller).toEqualTypeOf<undefined>();
    expectTypeOf(query.limit).toEqualTypeOf<number>();
    expectTypeOf(query.kind).toEqualTypeOf<"a" | "b" | "c" | undefined>();
    expectTypeOf(query.even).toEqualTypeOf<number | undefined>();
    return {
      kind: "full",
      status: 200,
      contentType: "application/json",
      body: JSON.stringify(query),
    };
  },
});

describe("a query", () => {
  it("is read as it is declared: defaults, empty, repeated and unknown values", async () => {
    expect(await ask(ofQuery, { query: "needed=x&kind=&cost=1e1&even=4&even=6&other=1" })).toEqual({
      status: 200,
      json: { limit: 5, cost: 10, even: 6, needed: "x" },
    });
  });

  it.each([
    ["limit=0", "out_of_range", "Must be a whole number from 1 to 10 (got 0)."],
    ["limit=11", "out_of_range", "Must be a whole number from 1 to 10 (got 11)."],
    ["limit=ten", "number_invalid", 'Must be a whole number from 1 to 10 (got "ten").'],
    ["limit=1.5", "number_invalid", 'Must be a whole number from 1 to 10 (got "1.5").'],
    ["limit=1e1", "number_invalid", 'Must be a whole number from 1 to 10 (got "1e1").'],
    ["cost=-1", "out_of_range", "Must be 0 or more (got -1)."],
    ["cost=1e999", "number_invalid", 'Must be a number (got "1e999").'],
    ["kind=d", "value_not_allowed", 'Must be a, b or c (got "d").'],
    ["only=d", "value_not_allowed", 'Must be a (got "d").'],
    ["word=four", "text_too_long", "Must be 3 characters or fewer (got 4)."],
    ["even=3", "interval_invalid", "Takes an even number."],
  ])("%s is refused as %s", async (query, type, msg) => {
    const loc = ["query", query.slice(0, query.indexOf("="))];
    expect(await ask(ofQuery, { query: `needed=x&${query}` })).toEqual({
      status: 422,
      json: { detail: [{ loc, msg, type }] },
    });
  });

  it("is refused with all that is wrong, also what is missing", async () => {
    const { json } = await ask(ofQuery, { query: "limit=0&kind=d&needed=" });
    expect(json.detail.map(({ loc }: { loc: string[] }) => loc[1])).toEqual([
      "limit",
      "kind",
      "needed",
    ]);
    expect(json.detail[2]).toEqual({
      loc: ["query", "needed"],
      msg: "Must be given. What is needed.",
      type: "value_not_allowed",
    });
  });
});

const ofBody = route({
  ...DOC,
  body: () =>
    z.strictObject({
      slug: name({ description: "A slug." }),
      note: orNull(text({ description: "A note." }, 3)),
      base: orNull(wholeNumber({ description: "A number." }, 1)),
      flag: orNull(
        matching({ description: "A flag." }, {}, "yes", (value): value is "yes" => value === "yes"),
      ),
    }),
  success: content("application/json", "All."),
  answer: ({ body }) => {
    expectTypeOf(body).toEqualTypeOf<{
      slug: string;
      note: string | null;
      base: number | null;
      flag: "yes" | null;
    }>();
    return {
      kind: "full",
      status: 200,
      contentType: "application/json",
      body: JSON.stringify(body),
    };
  },
});

describe("a body", () => {
  it("has null for what is absent", async () => {
    expect(await ask(ofBody, { body: '{"slug":"a","base":null}' })).toEqual({
      status: 200,
      json: { slug: "a", note: null, base: null, flag: null },
    });
  });

  it.each([
    ['{"slug":5}', "slug", "Must be text (got 5)."],
    ["{}", "slug", "Must be given. A slug."],
    ['{"slug":"a","note":"four"}', "note", 'Must be text of at most 3 characters (got "four").'],
    ['{"slug":"a","base":0}', "base", "Must be a whole number, 1 or more (got 0)."],
    ['{"slug":"a","base":"1"}', "base", 'Must be a whole number, 1 or more (got "1").'],
    ['{"slug":"a","flag":"no"}', "flag", 'Must be yes (got "no").'],
    [
      '{"slug":"a","x":1}',
      "x",
      "There is no such field. The fields are slug, note, base and flag.",
    ],
  ])("%s is refused for its %s", async (body, field, msg) => {
    expect(await ask(ofBody, { body })).toEqual({
      status: 422,
      json: { detail: [{ loc: ["body", field], msg, type: "body_invalid" }] },
    });
  });

  it.each(["[]", "5", "null"])("%s is not an object", async (body) => {
    const msg = `Must be an object with slug, note, base and flag (got ${body === "[]" ? "a list" : body}).`;
    expect((await ask(ofBody, { body })).json.detail).toEqual([
      { loc: ["body"], msg, type: "body_invalid" },
    ]);
  });
});

describe("a success", () => {
  it("is answered with the declared status, and takes only what its component describes", async () => {
    const health = route({
      ...DOC,
      success: { ...success("Health", "It answers."), status: 201 },
      answer: (_, reply) => {
        // @ts-expect-error: Health has no such status
        reply({ status: "bad", version: "1" });
        return reply({ status: "ok", version: "1" });
      },
    });
    expect(await ask(health)).toEqual({ status: 201, json: { status: "ok", version: "1" } });
    const gone = route({ ...DOC, success: noContent("Gone."), answer: (_, reply) => reply() });
    expect(await ask(gone)).toEqual({ status: 204, json: null });
  });

  it("has a caller where the route is not public", () => {
    route({
      ...DOC,
      access: "read",
      success: noContent("Gone."),
      answer: ({ caller }, reply) => {
        expectTypeOf(caller).toEqualTypeOf<Caller>();
        return reply();
      },
    });
  });
});

it.each([
  ["POST", "admin", "refused"],
  ["DELETE", "deploy", "refused"],
  ["POST", "backup", "refused"],
  ["POST", ["deploy", "admin"], "refused"],
  ["POST", ["run", "playground"], "allowed"],
  ["POST", "ingest", "allowed"],
  ["GET", "admin", "allowed"],
] as const)(
  "%s that needs %s is %s to keys limited to environments",
  (method, access, expected) => {
    const declared = route({
      method,
      path: "/x",
      access,
      id: "x",
      tag: "platform",
      summary: "X",
      success: noContent("Done."),
      errors: [],
      answer: (_, reply) => reply(),
    });
    expect(declared.limitedKeys).toBe(expected);
  },
);
