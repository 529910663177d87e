import type { Route } from "./route.ts";

/** `GET /`: leads to the reference. */
export function homeRoute(): Route {
  return {
    method: "GET",
    path: "/",
    access: "public",
    operation: {
      id: "getHome",
      tag: "platform",
      summary: "Go to the reference",
      success: {
        status: 302,
        description: "To `/docs`.",
        headers: { location: "Where the reference is." },
      },
      errors: [],
    },
    handle: () => ({
      kind: "full",
      status: 302,
      contentType: null,
      body: "",
      headers: { location: "/docs" },
    }),
  };
}
