# Draws the report.
page=$results/$output/report/report.html
if [ ! -e "$page" ] || [ "$page" -ot "$results/$output/$name.status" ]; then
  if command -v "$report" > /dev/null; then "$report" "$results/$output"; else
    echo "no report: set NFOLD_REPORT to nfold's tools/report.py"
  fi
fi
echo "done: $results/$output"
