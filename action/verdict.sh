#!/usr/bin/env bash
# The last step of the Action: annotations where no SARIF was uploaded, then the exit code of the check.
set -euo pipefail

if [ "$UPLOAD" = failure ]; then
    echo "::warning::kubelint-gpu: the SARIF upload failed (code scanning may be off, or the job lacks 'security-events: write');\
 the findings are annotations instead"
fi
case "$INPUT_ANNOTATIONS" in
always) annotate=true ;;
never) annotate=false ;;
*) if [ "$UPLOAD" = success ]; then annotate=false; else annotate=true; fi ;;
esac
if [ "$annotate" = true ] && [ -s "$FOUND/found.txt" ]; then cat "$FOUND/found.txt"; fi

code="$EXIT_CODE"
if [ "$code" = 1 ] && [ "$INPUT_FAIL" = false ]; then code=0; fi
exit "$code"
