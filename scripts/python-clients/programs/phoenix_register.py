from questions import TRACES_URL, ask, ask_overloaded, openai_client

from openinference.instrumentation import using_attributes
from phoenix.otel import register

provider = register(
    endpoint=TRACES_URL, protocol="http/protobuf", project_name="geology", auto_instrument=True
)
tracer = provider.get_tracer("stones")
client = openai_client()


@tracer.chain
def answer(question: str) -> str:
    return ask(client)


with using_attributes(user_id="u-1", session_id="s-1"):
    answer("What is agate?")
ask_overloaded(client)
provider.shutdown()
