"""What is looked up about a request before anything is made for it: at the edge and, if AWS gave no answer, once more.

`stages` gathers and runs the look as a stage, `rules` judges, `routes` is the look of a request.
"""
