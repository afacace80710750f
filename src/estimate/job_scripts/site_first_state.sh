# Makes the first state here, which the other machine resumes.
if [ ! -e "$results/$output/$name.status" ]; then
  echo "first state: $output"
  "$nfold" check "$name.yaml"
  "$nfold" run "$name.yaml" --output "$results/$output" --set dynamics.steps=0 --quiet
fi

