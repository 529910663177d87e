import type { ErrorDetail } from "@agate/protocol";
import type { ErrorType } from "./errors/error-types.ts";
import { ERROR_TYPES } from "./errors/error-types.ts";

/** What a route answers, independent of how it is sent. */
export type Answer = FullAnswer | StreamAnswer;

export interface FullAnswer {
  readonly kind: "full";
  readonly status: number;
  /** Null when there is no body. */
  readonly contentType: string | null;
  readonly body: string | Uint8Array;
  /** How the body is compressed already. It is unpacked for clients that do not take it. */
  readonly coding?: "zstd";
  /** Whether it is compressed well instead of fast: for a document, which arrives before anything is shown. */
  readonly isDocument?: true;
  readonly headers?: AnswerHeaders;
  /** Called when the socket has taken the body; not called where there is no socket. */
  readonly onSent?: () => void;
}

export interface StreamAnswer {
  readonly kind: "stream";
  readonly status: number;
  readonly contentType: string;
  /**
   * Opens the body; never called for HEAD. The signal fires when the client has gone. An error
   * while iterating breaks the connection off, so that half a body never looks whole.
   */
  readonly open: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
  /** Sends the head before there is anything of the body: it may be long in coming. */
  readonly headFirst?: boolean;
  readonly headers?: AnswerHeaders;
}

/** Names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string>>;

export const JSON_TYPE = "application/json";

/** 200 with finished JSON. */
export function jsonAnswer(json: string | Uint8Array): FullAnswer {
  return { kind: "full", status: 200, contentType: JSON_TYPE, body: json };
}

/** The types whose message is the reporter's to write. */
type ExplainedErrorType = {
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
  if (names.length < 2) return String(names[0]);
  return `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1)}`;
}
