// The table of contents of @agate/sdk. docs/reference/sdk.md lists every name, compared by a test.

// Tracing
export type { SpanKind, SpanRecord } from "@agate/protocol";
// Routes and apps
export type { AnyRoute, App, AppOptions, ExecutionContext, FailedCall } from "./app/app.ts";
export { createApp } from "./app/create-app.ts";
export {
  app,
  ConfigManager,
  entrypoint,
  exportStatistics,
  flush,
  init,
  route,
  shutdown,
} from "./app/default-app.ts";
export { serve } from "./app/serve.ts";
export type { ServeOptions, Serving } from "./app/serve-module.ts";
export { type NodeHandler, toNodeHandler } from "./app/to-node-handler.ts";
// Calling routes from elsewhere
export { ClientError } from "./client/client-error.ts";
export type { Client, ClientOptions } from "./client/client-types.ts";
export { createClient } from "./client/create-client.ts";
// Configuration schemas
export { BaseModel } from "./config/base-model.ts";
export type { ConfigDeclaration, InferConfig } from "./config/config-declaration.ts";
export type { Issue } from "./config/config-validation-error.ts";
export { ConfigValidationError } from "./config/config-validation-error.ts";
export { DeclarationError } from "./config/declaration-error.ts";
export {
  Annotated,
  bool,
  Field,
  float,
  GroupedMultipleChoice,
  int,
  MultipleChoice,
  str,
} from "./config/field.ts";
export { type Message, type MessageList, Messages } from "./config/messages.ts";
export { render } from "./config/render.ts";
// Where configuration comes from
export { ConfigNotFoundError, ConfigUnavailableError } from "./config-source/config-errors.ts";
export type {
  ConfigReference,
  ConfigResolution,
  ConfigSource,
} from "./config-source/config-source.ts";
export { fileConfigSource } from "./config-source/file-config-source.ts";
export { httpConfigSource } from "./config-source/http-config-source.ts";
export type { Dictionary, RoutingContext } from "./context/routing-context.ts";
export {
  routingContext,
  routingContextManager,
  routingContextManager as routing_context_manager,
} from "./context/routing-context.ts";
export { HttpError } from "./routes/http-error.ts";
export type { Call, DirectCall, Route, RouteOptions, Streamed } from "./routes/route-types.ts";
export type { CorsOptions } from "./server/cors.ts";
export { spanProcessor, tracerProvider } from "./tracing/default-telemetry.ts";
export { type InstrumentOptions, instrument } from "./tracing/instrument.ts";
export type { Redact } from "./tracing/redaction.ts";
export { type CallScore, score } from "./tracing/score.ts";
export { secret } from "./tracing/secrets.ts";
export { type ActiveSpan, type SpanOptions, span } from "./tracing/span.ts";
export type { ExportStatistics } from "./tracing/telemetry.ts";
export { tracing } from "./tracing/tracing.ts";
