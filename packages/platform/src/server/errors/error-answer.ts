import type { ErrorDetail } from "@agate/protocol";
import type { AnswerHeaders, FullAnswer } from "../answer.ts";
import { JSON_TYPE } from "../answer.ts";
import type { ErrorType } from "./error-types.ts";
import { ERROR_TYPES } from "./error-types.ts";

/** The types whose message is the reporter's to write. */
export type ExplainedErrorType = {
  [Type in ErrorType]: (typeof ERROR_TYPES)[Type]["message"]["kind"] extends "given" ? Type : never;
}[ErrorType];

/** Something wrong with a request, for the client to read. */
export interface Problem {
  readonly type: ExplainedErrorType;
  /** Where: `["query", "limit"]`, `["header", "host"]`, `["body"]`. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/** One problem as an answer. */
export function problemAnswer(problem: Problem, headers?: AnswerHeaders): FullAnswer {
  return problemsAnswer([problem], headers);
}

/** Problems as one answer, all of them listed. The first decides the status. */
export function problemsAnswer(
  problems: readonly [Problem, ...Problem[]],
  headers?: AnswerHeaders,
): FullAnswer {
  const detail = problems.map(({ loc, msg, type }) => ({ loc: [...loc], msg, type }));
  return errorAnswer(ERROR_TYPES[problems[0].type].status, detail, headers);
}

/** An error whose details are none of the client's business. */
export function opaqueAnswer(
  type: Exclude<ErrorType, ExplainedErrorType>,
  headers?: AnswerHeaders,
): FullAnswer {
  const { status, message } = ERROR_TYPES[type];
  return errorAnswer(status, [{ loc: [], msg: message.text, type }], headers);
}

function errorAnswer(status: number, detail: ErrorDetail[], headers?: AnswerHeaders): FullAnswer {
  const body = JSON.stringify({ detail });
  return {
    kind: "full",
    status,
    contentType: JSON_TYPE,
    body,
    ...(headers && { headers }),
  };
}

/** "a, b or c"; a single one is "only a". */
export function listed(names: readonly string[], word: "and" | "or"): string {
  if (names.length < 2) return `only ${names[0]}`;
  return `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1)}`;
}
