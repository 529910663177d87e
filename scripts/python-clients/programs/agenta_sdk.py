import os

from questions import AGATE_URL, ask, ask_overloaded, ask_with_tool, openai_client

os.environ |= {"AGENTA_HOST": AGATE_URL, "AGENTA_API_KEY": "none"}

import agenta as ag

ag.init()
client = openai_client()


@ag.instrument(spankind="chat")
def call(messages):
    text = ask(client)
    ag.tracing.store_metrics(
        {"tokens.prompt": 1000, "tokens.completion": 200, "tokens.total": 1200, "costs.total": 0.00024}
    )
    return {"role": "assistant", "content": text}


@ag.instrument(spankind="retriever")
def find(question: str):
    ag.tracing.store_internals({"index": "stones"})
    return [{"text": "Agate is banded."}]


@ag.instrument(spankind="workflow")
def answer(question: str):
    ag.tracing.store_session(session_id="s-1")
    ag.tracing.store_user(user_id="u-1")
    ag.tracing.store_refs({"application.slug": "stones", "variant.slug": "short", "environment.slug": "staging"})
    find(question)
    return call([{"role": "user", "content": question}])


@ag.instrument(spankind="task")
def fail():
    raise ValueError("The engine is overloaded.")


answer("What is agate?")
try:
    fail()
except ValueError as error:
    print(f"refused, as it should be: {type(error).__name__}")

from opentelemetry import trace

trace.get_tracer_provider().force_flush()
