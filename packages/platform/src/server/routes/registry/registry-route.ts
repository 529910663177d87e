import { mustBe, shownValue } from "@agate/protocol";
import * as z from "zod/mini";
import type { Access, Caller } from "../../../access/caller.ts";
import type { PageRequest } from "../../../registry/paging.ts";
import type { ApplicationRef, Registry } from "../../../registry/registry.ts";
import type { RegistryOutcome } from "../../../registry/registry-outcome.ts";
import { done } from "../../../registry/registry-outcome.ts";
import { environmentProblem } from "../../admit.ts";
import type { Answer, AnswerHeaders } from "../../answer.ts";
import { problemAnswer, problemsAnswer } from "../../answer.ts";
import type { ErrorType } from "../../errors/error-types.ts";
import {
  integer,
  name,
  newSlug,
  orNull,
  type Parsed,
  parsed,
  text,
  wholeNumber,
} from "../../inputs/input-kinds.ts";
import type {
  CheckedRequest,
  NoParameters,
  Reply,
  Route,
  RouteSpec,
  SuccessDoc,
  WithoutBody,
} from "../../route.ts";
import { route } from "../../route.ts";

/** What may stand in the paths of the registry, and what is answered when there is no such thing. */
export const PATH_PARAMETERS = {
  app: {
    schema: () => name({ description: "Slug or id of the application.", example: "quickstart" }),
    missing: "application_not_found",
  },
  variant: {
    schema: () => name({ description: "Slug or id of the variant.", example: "default" }),
    missing: "variant_not_found",
  },
  environment: {
    schema: () => name({ description: "Slug or id of the environment.", example: "production" }),
    missing: "environment_not_found",
  },
  build: {
    schema: () => name({ description: "Number or id of the build.", example: "3" }),
    missing: "build_not_found",
  },
  testset: {
    schema: () => name({ description: "Slug or id of the test set.", example: "support-golden" }),
    missing: "test_set_not_found",
  },
  row: {
    schema: () => name({ description: "Id of the row.", example: "ticket-7" }),
    missing: "test_row_not_found",
  },
  evaluation: {
    schema: () => name({ description: "Name of the evaluation.", example: "tickets" }),
    missing: "evaluation_not_found",
  },
  run: {
    schema: () => name({ description: "Id of the run.", example: "ci-8123" }),
    missing: "run_not_found",
  },
  revision: {
    schema: () =>
      parsed(
        { description: "Number of the revision, or `latest`.", example: "latest" },
        {},
        readRevision,
      ),
    missing: "revision_not_found",
  },
} as const satisfies Record<string, { schema: () => z.ZodMiniType; missing: ErrorType }>;

type PathParameter = keyof typeof PATH_PARAMETERS;

/** The parameters of a path: `"app" | "variant"` for `/registry/applications/{app}/variants/{variant}`. */
type ParametersIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Extract<Name, PathParameter> | ParametersIn<Rest>
  : never;

type PathValues<Path extends string> = {
  readonly [Name in ParametersIn<Path>]: z.output<
    ReturnType<(typeof PATH_PARAMETERS)[Name]["schema"]>
  >;
};

/** A request to the registry, read and checked. */
export interface RegistryRequest<Path extends string, Query, Body>
  extends CheckedRequest<"read", PathValues<Path>, Query, Body> {
  /** The application that the path names; null where it names none. */
  readonly ref: "app" extends ParametersIn<Path> ? ApplicationRef : null;
}

/** What is peculiar to a route of the registry. */
export interface RegistryRouteSpec<
  Path extends string,
  Query extends z.ZodMiniObject,
  Body extends z.ZodMiniType,
  Success extends SuccessDoc,
> extends Omit<
    RouteSpec<Access, NoParameters, Query, Body, Success>,
    "tag" | "path" | "access" | "params" | "errors" | "answer"
  > {
  readonly tag?: "registry" | "testsets" | "evaluations" | "deployments";
  readonly path: Path;
  readonly access: Exclude<Access, "public">;
  /** Where limited keys may use it in their own environments, as the request names one: looks it up. */
  readonly limitedTo?: EnvironmentLookup;
  /** Those of path, query and body are added. */
  readonly errors?: readonly ErrorType[];
  readonly answer: (
    request: RegistryRequest<Path, z.output<Query>, z.output<Body>>,
    reply: Reply<Success>,
  ) => Answer | Promise<Answer>;
}

const QUERY_ERRORS = ["value_not_allowed", "number_invalid", "out_of_range"] as const;

/** The environment that a request names, and where. */
export interface NamedEnvironment {
  readonly name: string;
  readonly in: "path" | "query" | "body";
}

function environmentIn(
  parts: Record<NamedEnvironment["in"], unknown>,
): NamedEnvironment | undefined {
  for (const place of ["path", "query", "body"] as const) {
    const name = (parts[place] as { environment?: unknown } | undefined)?.environment;
    if (typeof name === "string") return { name, in: place };
  }
  return undefined;
}

/** Finds an environment by the names of a request. */
type EnvironmentLookup = Pick<Registry, "applications" | "environments">;

/** Answers unless the caller's key is limited to other environments than this one. */
export async function inEnvironment(
  lookup: EnvironmentLookup,
  caller: Caller,
  ref: ApplicationRef,
  environment: NamedEnvironment,
  answer: () => Answer | Promise<Answer>,
): Promise<Answer> {
  return (await beyondLimit(lookup, caller, ref, environment)) ?? answer();
}

/**
 * Why a caller's key does not reach an environment, as an answer; undefined where it does.
 *
 * @param environment Null is the application's default one.
 */
export async function beyondLimit(
  { applications, environments }: EnvironmentLookup,
  caller: Caller,
  ref: ApplicationRef,
  environment: NamedEnvironment | null,
): Promise<Answer | undefined> {
  // Most keys are not limited: nothing has to be read for them.
  if (caller.environments === null) return undefined;
  const application = await applications.get(ref);
  if (application.kind === "refused") return problemsAnswer(application.problems);
  const slug = await slugOf(environments, ref, environment);
  if (slug.kind === "refused") return problemsAnswer(slug.problems);
  // Without a default environment nothing is reached.
  if (slug.value === undefined) return undefined;
  const name = { application: application.value, slug: slug.value };
  const problem = environmentProblem(caller, name);
  return problem && problemAnswer(problem);
}

async function slugOf(
  environments: Registry["environments"],
  ref: ApplicationRef,
  environment: NamedEnvironment | null,
): Promise<RegistryOutcome<string | undefined>> {
  if (environment === null) {
    const listed = await environments.list(ref);
    if (listed.kind === "refused") return listed;
    return done(listed.value.find(({ is_default }) => is_default)?.slug);
  }
  const found = await environments.get(ref, environment.name);
  if (found.kind === "done") return done(found.value.slug);
  const [first, ...others] = found.problems.map((problem) => ({
    ...problem,
    loc: problem.loc.map((step, n) => (n === 0 ? environment.in : step)),
  }));
  return { ...found, problems: first === undefined ? found.problems : [first, ...others] };
}

/** A route below an application: its path declares its parameters by their names. */
export function registryRoute<
  Path extends string,
  Success extends SuccessDoc,
  Query extends z.ZodMiniObject = NoParameters,
  Body extends z.ZodMiniType = WithoutBody,
>(maxBodyBytes: number, spec: RegistryRouteSpec<Path, Query, Body, Success>): Route {
  const { limitedTo, ...declared } = spec;
  const names = parametersIn(spec.path);
  return route({
    tag: "registry",
    maxBodyBytes,
    ...(limitedTo && { limitedKeys: "checked" }),
    ...declared,
    params: () =>
      z.object(Object.fromEntries(names.map((each) => [each, PATH_PARAMETERS[each].schema()]))),
    errors: [
      ...names.map((each) => PATH_PARAMETERS[each].missing),
      ...(spec.query ? QUERY_ERRORS : []),
      ...(spec.errors ?? []),
      "store_unavailable",
    ],
    answer: (request, reply) => {
      const { project } = request.caller;
      const application = request.params.app as string | undefined;
      const ref = application === undefined ? null : { project, application };
      // `ref` and `params` have the types that the text of the path gives them.
      const answer = () => spec.answer({ ...request, ref } as never, reply);
      const { params: path, query, body } = request;
      const environment = environmentIn({ path, query, body });
      if (limitedTo === undefined || ref === null || environment === undefined) return answer();
      return inEnvironment(limitedTo, request.caller, ref, environment, answer);
    },
  });
}

function parametersIn(path: string): readonly PathParameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, each]) => each as PathParameter);
}

/** What the registry did as an answer, or why it did not: its problems are the error body. */
export function outcomeAnswer<Value>(
  outcome: RegistryOutcome<Value>,
  answer: (value: Value) => Answer,
): Answer {
  return outcome.kind === "done" ? answer(outcome.value) : problemsAnswer(outcome.problems);
}

/** The header of a 201. @param names The segments of the path where the new thing is found. */
export function locationOf(...names: readonly string[]): AnswerHeaders {
  return { location: ["/registry/applications", ...names.map(encodeURIComponent)].join("/") };
}

/** Reads the number of a revision. */
export function readRevisionNumber(given: string): Parsed<number> {
  const msg = mustBe("a whole number, 1 or more", shownValue(given));
  if (!/^\d+$/.test(given)) return { kind: "problem", type: "number_invalid", msg };
  const value = Number(given);
  return value >= 1 && Number.isSafeInteger(value)
    ? { kind: "value", value }
    : { kind: "problem", type: "out_of_range", msg };
}

/** Null is the latest. */
function readRevision(given: string): Parsed<number | null> {
  return given === "latest" ? { kind: "value", value: null } : readRevisionNumber(given);
}

/** The number of a revision in a query. */
export function revisionNumber(description: string) {
  return parsed({ description }, { type: "integer", minimum: 1 }, readRevisionNumber);
}

export const slug = () =>
  newSlug({
    description:
      "1 to 64 lower-case letters and digits, with single `-`, `_` or `.` inside. Unique among its kind.",
    example: "concise",
  });

export const message = () =>
  orNull(text({ description: "Why, for the history.", example: "Less creative" }));

export const revision = () =>
  orNull(wholeNumber({ description: "Without it, the latest.", example: 3 }, 1));

/** What is listed; a cursor of one list means nothing in another. */
type PagedList =
  | "revisions"
  | "deployments"
  | "builds"
  | "rows"
  | "differences"
  | "runs"
  | "cases"
  | "results";

/** Letters before the number, so that a later format can be told from this one. */
const PREFIX: Record<PagedList, string> = {
  revisions: "r1",
  deployments: "d1",
  builds: "b1",
  rows: "t1",
  differences: "f1",
  runs: "n1",
  cases: "c1",
  results: "o1",
};

const DEFAULT_LIMIT = 50;

/** A number as clients carry it from page to page: opaque, safe in a URL. */
export function encodePageCursor(list: PagedList, before: number): string {
  return Buffer.from(`${PREFIX[list]}.${before}`).toString("base64url");
}

function decodePageCursor(list: PagedList, cursor: string): number | undefined {
  const [prefix, digits = ""] = Buffer.from(cursor, "base64url").toString("latin1").split(".");
  const before = Number(digits);
  // Base64 and numbers have several spellings; only ours is a cursor.
  const isOurs = prefix === PREFIX[list] && encodePageCursor(list, before) === cursor;
  // Rows of a test set may be before the first one that it had.
  const isNumber = Number.isSafeInteger(before) && (before > 0 || list === "rows");
  return isOurs && isNumber ? before : undefined;
}

/** `limit` and `cursor` of a list that comes in pages. */
export function pageQuery(list: PagedList) {
  return z.object({
    limit: z._default(
      integer({ description: "How many to return at most." }, { least: 1, most: 1000 }),
      DEFAULT_LIMIT,
    ),
    cursor: z.optional(
      parsed({ description: "The `next_cursor` of the page before." }, {}, (given) => {
        const value = decodePageCursor(list, given);
        if (value !== undefined) return { kind: "value", value };
        const msg = `Must be a next_cursor of this list of ${list}.`;
        return { kind: "problem", type: "cursor_invalid", msg };
      }),
    ),
  });
}

export function pageRequest(query: z.output<ReturnType<typeof pageQuery>>): PageRequest {
  return { limit: query.limit, before: query.cursor ?? null };
}

/** A page as the answer shows it. */
export function pageOf<Item>(
  list: PagedList,
  { items, next }: { readonly items: readonly Item[]; readonly next: number | null },
) {
  return { items, next_cursor: next === null ? null : encodePageCursor(list, next) };
}
