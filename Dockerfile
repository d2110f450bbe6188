# docker build -t kedge . && docker run --rm -v "$PWD:/data" kedge fit train.csv --target y -o model.kedge
FROM debian:bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends make
COPY . /kedge
WORKDIR /kedge
RUN make deb

FROM debian:bookworm-slim
COPY --from=build /kedge/out/kedge_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/kedge_*.deb && \
    rm -rf /tmp/kedge_*.deb /var/lib/apt/lists/*
WORKDIR /data
ENTRYPOINT ["kedge"]
