import type { RedactionRules } from "@agate/protocol";
import { NO_REDACTION, REDACTION_PATTERNS } from "@agate/protocol";
import { Redactor, readRules } from "@agate/spans/redaction";
import type { RedactionSettings } from "../../../registry/registry.ts";
import { JSON_TYPE, jsonAnswer } from "../../answer.ts";
import { fieldsSchema } from "../../body/body-fields.ts";
import { jsonField, optional, textField } from "../../body/field-kinds.ts";
import { JSON_BODY_ERRORS, readBodyFields } from "../../body/read-body-fields.ts";
import { readJsonBody } from "../../body/read-json-body.ts";
import { problemAnswer, problemsAnswer } from "../../errors/error-answer.ts";
import type { Route } from "../route.ts";
import { callerOf } from "../route.ts";
import { MOST_BYTES } from "./most-bytes.ts";

export interface RedactionRouteOptions {
  readonly redaction: RedactionSettings;
  /** Lets requests know the rules that there are now. */
  readonly reloadAccess: () => Promise<void>;
}

const PATH = "/registry/redaction";
const RULES_BODY = { [JSON_TYPE]: { schema: "ProjectRedaction" } };

const LIST_OF_TEXT = { type: "array", items: { type: "string" } };
const RULES_SCHEMA = {
  type: "object",
  description: "What to replace. A list that is left out is empty.",
  properties: {
    keys: {
      ...LIST_OF_TEXT,
      description:
        "Names whose values are replaced at any depth, or paths from the top of a value, `*` for any one step.",
    },
    patterns: {
      type: "array",
      items: { type: "string", enum: REDACTION_PATTERNS },
      description: "Ready patterns.",
    },
    custom: {
      type: "array",
      items: {
        type: "object",
        properties: { name: { type: "string" }, regex: { type: "string" } },
        required: ["name", "regex"],
        additionalProperties: false,
      },
      description: "The project's own patterns: regular expressions with bounded quantifiers.",
    },
  },
  additionalProperties: false,
  examples: [{ keys: ["password"], patterns: ["email", "card"], custom: [] }],
};

const TEST_FIELDS = {
  text: textField(
    { description: "The text to try the rules on; it may be JSON.", example: "joe@example.com" },
    32_768,
  ),
  rules: optional(
    jsonField(
      { description: "The rules to try; without them those of the project." },
      RULES_SCHEMA,
    ),
  ),
};

/** `/registry/redaction`: what the spans and logs of the caller's project are stored without. */
export function redactionRoutes(options: RedactionRouteOptions): readonly Route[] {
  return [readRoute(options), writeRoute(options), testRoute(options)];
}

function readRoute({ redaction }: RedactionRouteOptions): Route {
  return {
    method: "GET",
    path: PATH,
    access: "admin",
    operation: {
      id: "getRedaction",
      tag: "access",
      summary: "Get the redaction rules",
      description: "Those of the caller's project.",
      success: { status: 200, description: "The rules.", body: RULES_BODY },
      errors: ["project_not_found"],
    },
    handle: async (request) => {
      const outcome = await redaction.get(callerOf(request).project);
      if (outcome.kind === "refused") return problemsAnswer(outcome.problems);
      return jsonAnswer(JSON.stringify(outcome.value));
    },
  };
}

function writeRoute({ redaction, reloadAccess }: RedactionRouteOptions): Route {
  return {
    method: "PUT",
    path: PATH,
    access: "admin",
    operation: {
      id: "putRedaction",
      tag: "access",
      summary: "Set the redaction rules",
      description:
        "Replaces all rules of the caller's project. Spans that arrive at this server after the answer are stored without what they name, and at every other server within about a second. What is stored already stays as it is.",
      requestBody: { [JSON_TYPE]: { schema: RULES_SCHEMA } },
      success: { status: 200, description: "The rules, as they are now.", body: RULES_BODY },
      errors: [...JSON_BODY_ERRORS, "redaction_invalid", "project_not_found", "store_unavailable"],
    },
    handle: async (request) => {
      const body = await readJsonBody(request, MOST_BYTES);
      if (body.kind === "problem") return problemAnswer(body.problem);
      const { project, name } = callerOf(request);
      const rules = body.kind === "json" ? body.value : undefined;
      const outcome = await redaction.set(project, rules, name);
      if (outcome.kind === "refused") return problemsAnswer(outcome.problems);
      await reloadAccess();
      return jsonAnswer(JSON.stringify(outcome.value));
    },
  };
}

function testRoute({ redaction }: RedactionRouteOptions): Route {
  return {
    method: "POST",
    path: `${PATH}/test`,
    access: "admin",
    operation: {
      id: "testRedaction",
      tag: "access",
      summary: "Try redaction rules on a text",
      description: "Nothing is stored.",
      requestBody: { [JSON_TYPE]: { schema: fieldsSchema(TEST_FIELDS) } },
      success: {
        status: 200,
        description: "The text as it would be stored.",
        body: {
          [JSON_TYPE]: {
            schema: {
              type: "object",
              properties: { text: { type: "string" } },
              required: ["text"],
              additionalProperties: false,
            },
          },
        },
      },
      errors: [...JSON_BODY_ERRORS, "body_invalid", "redaction_invalid", "project_not_found"],
    },
    handle: async (request) => {
      const body = await readBodyFields(request, TEST_FIELDS, MOST_BYTES);
      if (body.kind === "problems") return problemsAnswer(body.problems);
      const { text, rules: given } = body.values;
      let rules: RedactionRules = NO_REDACTION;
      if (given === null) {
        const outcome = await redaction.get(callerOf(request).project);
        if (outcome.kind === "refused") return problemsAnswer(outcome.problems);
        rules = outcome.value;
      } else {
        const read = readRules(given);
        if (read.kind === "problems") {
          const [first, ...others] = read.problems.map(
            ({ path, msg }) =>
              ({ type: "redaction_invalid", loc: ["body", "rules", ...path], msg }) as const,
          );
          if (first !== undefined) return problemsAnswer([first, ...others]);
        } else rules = read.rules;
      }
      return jsonAnswer(JSON.stringify({ text: new Redactor(rules).text(text) }));
    },
  };
}
