# Computes the run here.
if ! is_done "$(status_here)"; then
  "$nfold" check "$name.yaml"
  "$nfold" launch -n {{ranks}} run "$name.yaml" --output "$results/$output" --resume auto
fi

