import type { IncomingHttpHeaders } from "node:http";
import type { Access, Caller } from "../../../access/caller.ts";
import type { ApplicationRef } from "../../../registry/registry.ts";
import type { Answer } from "../../answer.ts";
import { JSON_TYPE } from "../../answer.ts";
import type { BodyFields, FieldValues } from "../../body/body-fields.ts";
import { fieldsSchema } from "../../body/body-fields.ts";
import { JSON_BODY_ERRORS, readBodyFields } from "../../body/read-body-fields.ts";
import { problemsAnswer } from "../../errors/error-answer.ts";
import type { ErrorType } from "../../errors/error-types.ts";
import type { QueryParameters, QueryValues } from "../../query/query-parameter.ts";
import { readQuery } from "../../query/query-parameter.ts";
import type { Operation, Route, RouteRequest } from "../route.ts";
import { callerOf } from "../route.ts";
import type { ParametersIn, PathParameter } from "./path-parameters.ts";
import { PATH_PARAMETERS, parametersIn } from "./path-parameters.ts";

/** A request to the registry, read and checked. */
export interface RegistryRequest<
  Path extends string,
  Query extends QueryParameters,
  Fields extends BodyFields,
> {
  readonly caller: Caller;
  /** The application that the path names; null where it names none. */
  readonly ref: "app" extends ParametersIn<Path> ? ApplicationRef : null;
  readonly path: Readonly<Record<ParametersIn<Path>, string>>;
  readonly query: QueryValues<Query>;
  readonly body: FieldValues<Fields>;
  readonly headers: IncomingHttpHeaders;
}

/** What is peculiar to a route of the registry. */
export interface RegistryRouteSpec<
  Path extends string,
  Query extends QueryParameters,
  Fields extends BodyFields,
> extends Pick<Operation, "id" | "summary" | "description" | "success" | "otherwise"> {
  readonly method: Route["method"];
  readonly path: Path;
  readonly access: Access;
  readonly query?: Query;
  readonly body?: Fields;
  /** Those of path, query and body are added. */
  readonly errors?: readonly ErrorType[];
  readonly answer: (request: RegistryRequest<Path, Query, Fields>) => Answer | Promise<Answer>;
}

type None = Record<never, never>;

const ERRORS_OF_QUERY = ["value_not_allowed", "number_invalid", "out_of_range"] as const;

/** A route whose query and body are read and checked before it is asked for its answer. */
export function registryRoute<
  Path extends string,
  Query extends QueryParameters = None,
  Fields extends BodyFields = None,
>(maxBodyBytes: number, spec: RegistryRouteSpec<Path, Query, Fields>): Route {
  const { method, path, access, query, body, errors = [], answer, ...said } = spec;
  const names = parametersIn(path);
  return {
    method,
    path,
    access,
    operation: {
      ...said,
      tag: "registry",
      pathParameters: Object.fromEntries(names.map((name) => [name, PATH_PARAMETERS[name]])),
      ...(query && { query }),
      ...(body && {
        requestBody: { [JSON_TYPE]: { schema: fieldsSchema(body) } },
        bodyIsOptional: isOptional(body),
      }),
      errors: [
        ...names.map((name: PathParameter) => PATH_PARAMETERS[name].missing),
        ...(query ? ERRORS_OF_QUERY : []),
        ...(body ? [...JSON_BODY_ERRORS, "body_invalid" as const] : []),
        ...errors,
        "store_unavailable",
      ],
    },
    handle: async (request) => {
      const asked = readQuery(query ?? ({} as Query), new URLSearchParams(request.query));
      if (asked.kind === "problems") return problemsAnswer(asked.problems);
      const given = body
        ? await readBodyFields(request, body, maxBodyBytes)
        : ({ kind: "values", values: {} } as const);
      if (given.kind === "problems") return problemsAnswer(given.problems);
      const caller = callerOf(request);
      const checked = {
        caller,
        ref: applicationIn(request, caller),
        path: Object.fromEntries(names.map((name) => [name, request.params[name]])),
        query: asked.values,
        body: given.values,
        headers: request.incoming.headers,
      };
      // `ref` and `path` have the types that the text of the path gives them.
      return answer(checked as RegistryRequest<Path, Query, Fields>);
    },
  };
}

function isOptional(fields: BodyFields): boolean {
  return Object.values(fields).every(({ isRequired }) => !isRequired);
}

function applicationIn(request: RouteRequest, { project }: Caller): ApplicationRef | null {
  const application = request.params.app;
  return application === undefined ? null : { project, application };
}
