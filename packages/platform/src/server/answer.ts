/** What a route answers, independent of how it is sent. */
export type Answer = FullAnswer | StreamAnswer;

export interface FullAnswer {
  readonly kind: "full";
  readonly status: number;
  /** Null when there is no body. */
  readonly contentType: string | null;
  readonly body: string | Uint8Array;
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
