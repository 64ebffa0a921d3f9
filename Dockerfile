# docker build -t autograd-lint . && docker run --rm -v "$PWD:/src:ro" autograd-lint check --no-cache .
FROM python:3.12-slim AS build
COPY . /source
RUN python -m venv /opt/autograd-lint && /opt/autograd-lint/bin/pip install --no-cache-dir /source

FROM python:3.12-slim
COPY --from=build /opt/autograd-lint /opt/autograd-lint
RUN useradd --create-home lint
USER lint
WORKDIR /src
ENTRYPOINT ["/opt/autograd-lint/bin/autograd-lint"]
CMD ["check", "--no-cache", "."]
