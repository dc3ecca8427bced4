FROM python:3.11-slim

ENV PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1 ASSAY_DATA=/data
WORKDIR /srv/assay
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY brat brat
COPY evaluator evaluator
COPY baselines baselines
COPY app app
COPY migrations migrations
COPY tasks tasks
RUN pip install --constraint constraints.txt . \
 && useradd --system --uid 10001 --home-dir /data assay \
 && install -d -o assay /data
USER assay
VOLUME /data
EXPOSE 8000
# The schema first, then gunicorn and a worker; a proxy in front speaks HTTPS (set ASSAY_HTTPS=0 only without one).
CMD ["sh", "-c", "assay migrate && exec env ASSAY_HTTPS=${ASSAY_HTTPS:-1} assay serve --host 0.0.0.0"]
