"""What a new cluster takes over of a caller's own: asked for, gathered, judged; never changed but for tags asked for."""
