"""A stand-in for Cognito: people sign in, programs get tokens, and the same function narrows them as on AWS."""
