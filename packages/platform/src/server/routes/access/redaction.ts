import type { RedactionRules } from "@agate/protocol";
import { REDACTION_PATTERNS } from "@agate/protocol";
import { CUSTOM_PATTERN_NAME, Redactor, readRules } from "@agate/spans/redaction";
import * as z from "zod/mini";
import type { RedactionSettings } from "../../../registry/registry.ts";
import { jsonAnswer, type Problem, problemsAnswer } from "../../answer.ts";
import { json, orNull, text } from "../../inputs/input-kinds.ts";
import type { Route } from "../../route.ts";
import { content, route, success } from "../../route.ts";
import { outcomeAnswer } from "../registry/registry-route.ts";

export interface RedactionRouteOptions {
  readonly redaction: RedactionSettings;
  /** Lets requests know the rules that there are now. */
  readonly reloadAccess: () => Promise<void>;
}

const PATH = "/registry/redaction";

const RULES_DOC = {
  description: "What to replace. A list that is left out is empty.",
  example: { keys: ["password"], patterns: ["email", "card"], custom: [] },
};
/** For the document: `readRules` checks them, and names what is wrong with a pattern. */
const RULES_SCHEMA = {
  type: "object",
  properties: {
    keys: {
      type: "array",
      items: { type: "string", minLength: 1, maxLength: 200 },
      maxItems: 200,
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
        properties: {
          name: { type: "string", pattern: CUSTOM_PATTERN_NAME.source },
          regex: { type: "string", minLength: 1 },
        },
        required: ["name", "regex"],
        additionalProperties: false,
      },
      description: "The project's own patterns: regular expressions with bounded quantifiers.",
    },
  },
  additionalProperties: false,
};

const testBody = () =>
  z.strictObject({
    text: text(
      { description: "The text to try the rules on; it may be JSON.", example: "joe@example.com" },
      32_768,
    ),
    rules: orNull(
      json(
        { ...RULES_DOC, description: "The rules to try; without them those of the project." },
        RULES_SCHEMA,
      ),
    ),
  });

/** `/registry/redaction`: what the spans and logs of the caller's project are stored without. */
export function redactionRoutes(options: RedactionRouteOptions): readonly Route[] {
  return [readRoute(options), writeRoute(options), testRoute(options)];
}

function readRoute({ redaction }: RedactionRouteOptions): Route {
  return route({
    method: "GET",
    path: PATH,
    access: "admin",
    id: "getRedaction",
    tag: "access",
    summary: "Get the redaction rules",
    description: "Those of the caller's project.",
    success: success("ProjectRedaction", "The rules."),
    errors: ["project_not_found"],
    answer: async ({ caller }, reply) => outcomeAnswer(await redaction.get(caller.project), reply),
  });
}

function writeRoute({ redaction, reloadAccess }: RedactionRouteOptions): Route {
  return route({
    method: "PUT",
    path: PATH,
    access: "admin",
    id: "putRedaction",
    tag: "access",
    summary: "Set the redaction rules",
    description:
      "Replaces all rules of the caller's project. Spans that arrive at this server after the answer are stored without what they name, and at every other server within about a second. What is stored already stays as it is.",
    body: () => json(RULES_DOC, RULES_SCHEMA),
    success: success("ProjectRedaction", "The rules, as they are now."),
    errors: ["redaction_invalid", "project_not_found", "store_unavailable"],
    answer: async ({ caller: { project, name }, body }, reply) => {
      const outcome = await redaction.set(project, body, name);
      if (outcome.kind === "done") await reloadAccess();
      return outcomeAnswer(outcome, reply);
    },
  });
}

function testRoute({ redaction }: RedactionRouteOptions): Route {
  return route({
    method: "POST",
    path: `${PATH}/test`,
    access: "admin",
    id: "testRedaction",
    tag: "access",
    summary: "Try redaction rules on a text",
    description: "Nothing is stored.",
    body: testBody,
    success: content("application/json", "The text as it would be stored.", {
      type: "object",
      properties: { text: { type: "string" } },
      required: ["text"],
      additionalProperties: false,
    }),
    errors: ["redaction_invalid", "project_not_found"],
    answer: async ({ caller, body: { text: tried, rules: given } }) => {
      const redacted = (rules: RedactionRules) =>
        jsonAnswer(JSON.stringify({ text: new Redactor(rules).text(tried) }));
      if (given === null) return outcomeAnswer(await redaction.get(caller.project), redacted);
      const read = readRules(given);
      if (read.kind === "rules") return redacted(read.rules);
      const [first, ...others] = read.problems.map(
        ({ path, msg }): Problem => ({
          type: "redaction_invalid",
          loc: ["body", "rules", ...path],
          msg,
        }),
      );
      if (first === undefined) throw new Error("Rules were refused without a reason");
      return problemsAnswer([first, ...others]);
    },
  });
}
