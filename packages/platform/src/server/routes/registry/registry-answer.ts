import type { Page } from "../../../registry/registry.ts";
import type { RegistryOutcome } from "../../../registry/registry-outcome.ts";
import type { Answer, FullAnswer } from "../../answer.ts";
import { JSON_TYPE, jsonAnswer } from "../../answer.ts";
import { problemsAnswer } from "../../errors/error-answer.ts";
import type { SuccessDoc } from "../route.ts";

/** What the registry did as an answer, or why it did not: its problems are the error body. */
export function outcomeAnswer<Value>(
  outcome: RegistryOutcome<Value>,
  answer: (value: Value) => Answer,
): Answer {
  return outcome.kind === "done" ? answer(outcome.value) : problemsAnswer(outcome.problems);
}

/** 200 with a document. */
export function documentAnswer(document: object): FullAnswer {
  return jsonAnswer(JSON.stringify(document));
}

/** 201 with what was made. @param names The segments of the path where it is found. */
export function createdAnswer(document: object, ...names: readonly string[]): FullAnswer {
  const location = ["/registry/applications", ...names.map(encodeURIComponent)].join("/");
  return { ...documentAnswer(document), status: 201, headers: { location } };
}

export function listAnswer(items: readonly object[]): FullAnswer {
  return documentAnswer({ items });
}

/** @param encodeCursor See page-parameters.ts. */
export function pageAnswer(
  { items, next }: Page<object>,
  encodeCursor: (before: number) => string,
): FullAnswer {
  return documentAnswer({ items, next_cursor: next === null ? null : encodeCursor(next) });
}

/** 204. */
export function doneAnswer(): FullAnswer {
  return { kind: "full", status: 204, contentType: null, body: "" };
}

/** For the OpenAPI document: 200 with one of its components. */
export function documented(schema: string, description: string): SuccessDoc {
  return { status: 200, description, body: { [JSON_TYPE]: { schema } } };
}

/** The same for 201. */
export function documentedCreation(schema: string, description: string): SuccessDoc {
  const headers = { location: "Where it is found." };
  return { ...documented(schema, description), status: 201, headers };
}
