import type { MessagePort } from "node:worker_threads";

export type SpanIndexApi = {
  /** There may be something new. Answers at once. */
  wake(): Promise<void>;
  /** Answers when everything committed before the call is indexed. */
  catchUp(): Promise<void>;
  close(): Promise<void>;
};

export interface SpanIndexData {
  readonly directory: string;
  /** To the writer, who alone may change the spans' file: serves {@link ForgetApi}. */
  readonly writer: MessagePort;
  /** Where a `StoreTrouble` is reported. */
  readonly troubles: MessagePort;
}

/** What the index asks of the writer. */
export type ForgetApi = {
  /** These deleted spans are no longer in the index. False: tell me again later. */
  forgotten(spanNos: readonly number[]): Promise<boolean>;
};
