#!/bin/sh
# All checks, for people and for CI: tools/check.sh BIN lint|tests [arguments of pytest]
# Each check runs even if an earlier one failed; those that pass say one line.
set -u

bin=$1
what=$2
shift 2
failed=""

quietly() {
    name=$1
    shift
    if said=$("$@" 2>&1); then
        echo "== $name: fine"
    else
        echo "== $name: FAILED"
        printf '%s\n' "$said"
        failed="$failed $name"
    fi
}

# Without its cache: what an import is depends on files that come and go.
quietly "ruff-check" "$bin/ruff" check --no-cache .
quietly "ruff-format" "$bin/ruff" format --check .
quietly "mypy" "$bin/mypy"
quietly "lint-imports" "$bin/lint-imports"
if [ "$what" = tests ]; then
    echo "== pytest"
    # Much of it waits for programs and sockets: two at a time; the tests of a file stay together.
    "$bin/pytest" --quiet --numprocesses 2 --dist loadfile "$@" || failed="$failed pytest"
fi

if [ -n "$failed" ]; then
    echo "== failed:$failed" >&2
    exit 1
fi
echo "== all is fine"
