export { ClientError, type ClientErrorKind } from "./client-error.ts";
export type {
  CallAnswer,
  CallOptions,
  Client,
  ClientOptions,
  PendingCall,
  StreamingCall,
  UntypedClient,
} from "./client-types.ts";
export { createClient } from "./create-client.ts";
export type { Jsonify } from "./jsonify.ts";
export { type SendScoreOptions, type SentScore, sendScore } from "./send-score.ts";
