#!/usr/bin/env bash
# The dev container's files: JSON that can be read, and nothing in them that the checkout does not have.
. "$(dirname "$0")/tap.sh"

json() { # prints the Dockerfile's path and its context
    "$PYTHON" -c 'import json, os
build = json.load(open(".devcontainer/devcontainer.json"))["build"]
print(os.path.join(".devcontainer", build["dockerfile"]), os.path.normpath(os.path.join(".devcontainer", build["context"])))'
}
copied() { # each file or directory that the Dockerfile copies is there
    local path
    sed -n 's/^COPY \([^ ]*\) .*/\1/p' .devcontainer/Dockerfile | while read -r path; do
        [ -e "$path" ] || exit 1
    done
}
passes "devcontainer.json names the Dockerfile and the checkout" \
    sh -c '[ "$1" = ".devcontainer/Dockerfile ." ] && [ -f .devcontainer/Dockerfile ]' sh "$(json)"
passes "what is copied is there" copied
passes "the packages are those of tools/setup" grep -E 'tools/setup check .* /tmp/fathom/tools/setup lint' .devcontainer/Dockerfile
finish
