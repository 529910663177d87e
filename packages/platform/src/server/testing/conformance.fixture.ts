import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect } from "vitest";
import { VERSION } from "../../version.ts";
import type { TestRequest, TestResponse } from "./send-request.fixture.ts";

interface OpenapiDocument {
  readonly paths: Record<string, Record<string, OperationObject>>;
}

interface OperationObject {
  readonly responses: Record<string, { readonly content?: Record<string, MediaTypeObject> }>;
}

interface MediaTypeObject {
  readonly schema?: { readonly $ref?: string };
}

const DOCUMENT = "openapi.json";

/** Checks responses against the document that the same server serves. */
export class Conformance {
  readonly #document: OpenapiDocument;
  readonly #paths: readonly { readonly documented: string; readonly pattern: RegExp }[];
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: OpenapiDocument) {
    this.#document = document;
    this.#paths = patternsOf(Object.keys(document.paths));
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(document, DOCUMENT);
  }

  check(request: TestRequest, response: TestResponse): void {
    const { method = "GET" } = request;
    const where = `${method} ${request.path} → ${response.status}`;
    expect(response.headers["agate-version"], where).toBe(VERSION);
    expect(response.headers["x-content-type-options"], where).toBe("nosniff");
    const path = this.#pathOf(request.path);
    const verb = (method === "HEAD" ? "GET" : method).toLowerCase();
    const operation = path === undefined ? undefined : this.#document.paths[path]?.[verb];
    if (path === undefined || operation === undefined) {
      // The host guard and a request that is no request come before any route.
      const expected = path === undefined ? [400, 403, 404] : [400, 403, 405];
      expect(expected, where).toContain(response.status);
      if (method !== "HEAD")
        this.#checkBody(`${DOCUMENT}#/components/schemas/ErrorBody`, response, where);
      return;
    }
    const documented = operation.responses[response.status];
    expect(documented, `${where} is documented`).toBeDefined();
    const type = response.headers["content-type"];
    if (documented?.content === undefined) {
      expect(type, where).toBeUndefined();
      expect(response.body, where).toHaveLength(0);
      return;
    }
    expect(Object.keys(documented.content), where).toContain(type);
    if (method === "HEAD") {
      expect(response.body, where).toHaveLength(0);
    } else if (type === "application/json") {
      const { status } = response;
      const parts = ["paths", path, verb, "responses", `${status}`, "content", type, "schema"];
      // Most responses are errors of the same schema, which is compiled once: it takes longer than a request.
      const shared = documented.content[type]?.schema?.$ref;
      const ref = shared ?? `#/${parts.map(pointerPart).join("/")}`;
      this.#checkBody(`${DOCUMENT}${ref}`, response, where);
    }
  }

  #checkBody(ref: string, response: TestResponse, where: string): void {
    let validate = this.#validators.get(ref);
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: ref });
      this.#validators.set(ref, validate);
    }
    validate(response.json);
    expect(validate.errors ?? [], where).toEqual([]);
  }

  #pathOf(target: string): string | undefined {
    const path = target.replace(/\?.*$/s, "").replace(/(?<=.)\/$/, "");
    return this.#paths.find(({ pattern }) => pattern.test(path))?.documented;
  }
}

/** The documented paths in the order in which they are tried: `/builds/live` before `/builds/{build}`. */
function patternsOf(paths: readonly string[]) {
  const parameters = (documented: string) => documented.split("{").length;
  const bare = (documented: string) => documented.replace(/(?<=.)\/$/, "");
  return paths
    .toSorted((one, other) => parameters(one) - parameters(other))
    .map((documented) => ({
      documented,
      pattern: new RegExp(`^${bare(documented).replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    }));
}

function pointerPart(part: string): string {
  return encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));
}
