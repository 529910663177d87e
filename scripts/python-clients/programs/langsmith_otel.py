import os

from questions import AGATE_URL, ask, ask_overloaded, ask_with_tool, openai_client

os.environ |= {
    "LANGSMITH_TRACING": "true",
    "LANGSMITH_OTEL_ENABLED": "true",
    "LANGSMITH_OTEL_ONLY": "true",
    "LANGSMITH_ENDPOINT": AGATE_URL,
    "LANGSMITH_API_KEY": "none",
    "LANGSMITH_PROJECT": "geology",
}

from langsmith import Client, traceable
from langsmith.wrappers import wrap_openai

langsmith = Client()
client = wrap_openai(openai_client())


@traceable(run_type="retriever", client=langsmith)
def find(question: str):
    return [{"page_content": "Agate is banded.", "type": "Document", "metadata": {}}]


@traceable(metadata={"user_id": "u-1", "session_id": "s-1"}, client=langsmith)
def answer(question: str):
    find(question)
    return ask(client)


answer("What is agate?")
ask_with_tool(client)
ask_overloaded(client)
langsmith.flush()

from opentelemetry import trace

trace.get_tracer_provider().force_flush()
