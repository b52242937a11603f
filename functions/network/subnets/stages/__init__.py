"""The compute subnet stage, by kind: `own` makes and repairs ours, `given` judges what the caller chose."""
