import type { SpanRecord } from "@agate/protocol";
import { expectTypeOf, it } from "vitest";
import type { RouteTypes } from "../routes/route-types.ts";
import type {
  CallAnswer,
  Client,
  ClientMethod,
  PendingCall,
  StreamingCall,
  UntypedClient,
} from "./client-types.ts";
import { createClient } from "./create-client.ts";
import type * as routes from "./some-routes.fixture.ts";

type AppClient = Client<typeof routes.typedApp>;
type ModuleClient = Client<typeof routes>;

it("has a method for each route, from an app's type and from a module's", () => {
  expectTypeOf<ModuleClient["say"]>().toEqualTypeOf<AppClient["say"]>();
  expectTypeOf<ModuleClient["docs"]["search"]>().toEqualTypeOf<AppClient["docs"]["search"]>();
  expectTypeOf<AppClient["a:b"]["%C3%A9t%C3%A9"]>().toBeFunction();
  expectTypeOf<AppClient>().toBeCallableWith({ question: "why" });
  expectTypeOf<ModuleClient>().not.toHaveProperty("VERSION");
  expectTypeOf<AppClient>().not.toHaveProperty("shout");
  expectTypeOf(createClient<typeof routes.typedApp>).returns.toEqualTypeOf<AppClient>();
});

it("takes what is sent, not what the function gets of it", () => {
  expectTypeOf<AppClient["say"]>()
    .parameter(0)
    .toEqualTypeOf<{ text: string; times?: string | undefined }>();
  expectTypeOf<AppClient["docs"]["search"]>().parameter(0).toEqualTypeOf<string>();
  expectTypeOf<AppClient["nothing"]>().toBeCallableWith();
});

it("lets an input be left out that may be undefined or empty, and no other", () => {
  expectTypeOf<AppClient["nothing"]>().toBeCallableWith();
  expectTypeOf<AppClient["greet"]>().toBeCallableWith();
  expectTypeOf<AppClient["greet"]>().toBeCallableWith("ada", { config: {} });
  expectTypeOf<AppClient["list"]>().toBeCallableWith();
  expectTypeOf<AppClient["list"]>().toBeCallableWith({ limit: 3 });
  expectTypeOf<AppClient["list"]>().toBeCallableWith(undefined, { environment: "staging" });
  expectTypeOf<AppClient["repeat"]>().toBeCallableWith();
  expectTypeOf<AppClient["moments"]>().toBeCallableWith();
  // @ts-expect-error the name is a text
  expectTypeOf<AppClient["greet"]>().toBeCallableWith(7);
  // @ts-expect-error the filter has no such member
  expectTypeOf<AppClient["list"]>().toBeCallableWith({ limits: 3 });
  // @ts-expect-error the input has to be given
  expectTypeOf<AppClient["docs"]["search"]>().toBeCallableWith();
  // @ts-expect-error the input has to be given
  expectTypeOf<AppClient["tell"]>().toBeCallableWith();
  // @ts-expect-error options are the second argument
  expectTypeOf<AppClient["greet"]>().toBeCallableWith({ config: {} });
});

it("gives what the function returns, as it arrives", () => {
  expectTypeOf<ReturnType<AppClient>>().toEqualTypeOf<PendingCall<string>>();
  expectTypeOf<ReturnType<AppClient["docs"]["search"]>>().toEqualTypeOf<PendingCall<string[]>>();
  expectTypeOf<Awaited<ReturnType<AppClient["say"]>>>().toEqualTypeOf<{
    said: string;
    tone: "plain" | "formal";
  }>();
  expectTypeOf<ReturnType<AppClient["nothing"]>>().toEqualTypeOf<PendingCall<null>>();
  expectTypeOf<ReturnType<AppClient["list"]>>().toEqualTypeOf<
    PendingCall<{ limit: number; at: string; next?: never }>
  >();
  expectTypeOf<ReturnType<AppClient["repeat"]>>().toEqualTypeOf<
    PendingCall<{ times: number; until: string }>
  >();
  expectTypeOf<ReturnType<AppClient["perhaps"]>>().toEqualTypeOf<PendingCall<string | null>>();
  expectTypeOf<ReturnType<AppClient["refuse"]>>().toEqualTypeOf<PendingCall<string>>();
  expectTypeOf<CallAnswer<string>["trace"]>().toEqualTypeOf<SpanRecord | null>();
});

it("gives streams as async iterables of chunks, and collected when awaited", () => {
  expectTypeOf<ReturnType<AppClient["tell"]>>().toEqualTypeOf<StreamingCall<string>>();
  expectTypeOf<Awaited<ReturnType<AppClient["tell"]>>>().toEqualTypeOf<string>();
  expectTypeOf<ReturnType<AppClient["count"]>>().toEqualTypeOf<StreamingCall<{ n: number }>>();
  expectTypeOf<Awaited<ReturnType<AppClient["count"]>>>().toEqualTypeOf<{ n: number }[]>();
  expectTypeOf<ReturnType<AppClient["moments"]>>().toEqualTypeOf<StreamingCall<{ at: string }>>();
});

it("types results that are not what they seem", () => {
  // biome-ignore lint/suspicious/noExplicitAny: what a function without types returns.
  type Got<Returned> = ReturnType<ClientMethod<RouteTypes<"/a", any, string, Returned>>>;
  expectTypeOf<Got<never>>().toEqualTypeOf<PendingCall<never>>();
  expectTypeOf<Got<unknown>>().toEqualTypeOf<PendingCall<unknown>>();
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  expectTypeOf<Got<any>>().toEqualTypeOf<PendingCall<any>>();
  expectTypeOf<Got<Promise<AsyncIterable<Date>>>>().toEqualTypeOf<StreamingCall<string>>();
  expectTypeOf<Got<Date | Generator<Date>>>().toEqualTypeOf<
    PendingCall<string> | StreamingCall<string>
  >();
  // Chunks that all are texts are joined, also where their type allows other values.
  expectTypeOf<Awaited<Got<Generator<string | number>>>>().toEqualTypeOf<
    string | (string | number)[]
  >();
  expectTypeOf<Awaited<Got<Generator<unknown>>>>().toEqualTypeOf<string | unknown[]>();
});

it("is a compile error where a call cannot be right", () => {
  const say = expectTypeOf<AppClient["say"]>();
  const input = { text: "hello" };
  // @ts-expect-error the input has a text
  say.toBeCallableWith({ txt: "hello" });
  // @ts-expect-error the input has to be given
  say.toBeCallableWith();
  // @ts-expect-error "rude" is none of the choices
  say.toBeCallableWith(input, { config: { tone: "rude" } });
  // @ts-expect-error there is no such field
  say.toBeCallableWith(input, { config: { tonne: "plain" } });
  // @ts-expect-error a configuration of the caller's, or a deployed one
  say.toBeCallableWith(input, { config: {}, environment: "production" });
  // @ts-expect-error an environment or a variant
  say.toBeCallableWith(input, { environment: "production", variant: { slug: "concise" } });
  expectTypeOf<AppClient>().not.toHaveProperty("shout");
  say.toBeCallableWith(input, { config: { tone: "formal" } });
  say.toBeCallableWith(input, { variant: { slug: "concise", revision: 2 } });
  say.toBeCallableWith(input, { environment: "staging", signal: new AbortController().signal });
});

it("is untyped where no type is given", () => {
  const client = createClient("http://localhost:4101");
  expectTypeOf(client.anything!.at!.all!).toBeCallableWith({ any: "thing" });
  expectTypeOf<Awaited<ReturnType<UntypedClient>>>().toEqualTypeOf<unknown>();
  expectTypeOf<ReturnType<UntypedClient>>().toExtend<AsyncIterable<unknown>>();
});
