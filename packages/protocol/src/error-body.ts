/** One fault of a request. */
export interface ErrorDetail {
  /** Where it is: `["query", "limit"]`; empty when it lies in no one place. */
  loc: (string | number)[];
  /** A sentence for people. */
  msg: string;
  /** For programs: it never changes. */
  type: string;
}

/** Contract 2.3: the body of every 4xx and 5xx answer. */
export interface ErrorBody {
  detail: ErrorDetail[];
}
