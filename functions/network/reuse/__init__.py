"""What a new cluster takes over of a caller's own: asked for, gathered, judged, and changed in nothing but tags."""
