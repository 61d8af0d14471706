# The bot, without Weaviate: docker build -t citewell . ; docker-compose.yml runs both. docs/operations.md says more.
FROM python:3.11-slim AS build
WORKDIR /src
COPY pyproject.toml constraints.txt README.md ./
COPY adapters adapters
COPY bot bot
COPY memory memory
COPY retrieval retrieval
RUN pip install --no-cache-dir --prefix=/install -c constraints.txt .

FROM python:3.11-slim
RUN useradd --system --uid 10001 --create-home --home-dir /data citewell && chmod 700 /data
COPY --from=build /install /usr/local
USER citewell
WORKDIR /data
ENV CITEWELL_HOME=/data CITEWELL_HOST=0.0.0.0 PYTHONUNBUFFERED=1
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:3000/healthz', timeout=4)"]
ENTRYPOINT ["citewell"]
CMD ["serve"]
