/** Why a request was not answered by the service. Nothing of an answer was sent yet. */
export type GatewayProblem =
  /** The build broke off, or what it sent is no HTTP. */
  | { readonly kind: "service_failed"; readonly reason: string }
  /** It is being started, or crashes all the time. */
  | {
      readonly kind: "service_unavailable";
      readonly reason: string;
      readonly retryAfterSeconds: number;
    }
  /** The client wants what a workflow does not do: a web socket, say. */
  | { readonly kind: "unsupported"; readonly reason: string };
